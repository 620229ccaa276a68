/// How the console looks.
enum ConsoleStyle {
  static let css = #"""
    :root { color-scheme: light dark; --back: light-dark(#f6f7f9, #15181d); --card: light-dark(#fff, #1e2329);
      --text: light-dark(#1a2027, #e8ecf1); --soft: light-dark(#566270, #a3afbd); --line: light-dark(#d9dee5, #363e49);
      --accent: light-dark(#0b5cad, #7db8ff); --on-accent: light-dark(#fff, #0c1b2c); --bad: light-dark(#b3261e, #ff9b91);
      --bad-back: light-dark(#fdeceb, #3a2120); --good: light-dark(#18703a, #7fd6a0); --good-back: light-dark(#e6f5eb, #1b3325);
      --warn: light-dark(#7f5500, #f1c264); --warn-back: light-dark(#fdf3dc, #382e17);
      font: 1rem/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif }
    * { box-sizing: border-box }
    body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere }
    [hidden] { display: none !important }
    body > nav { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; align-items: center;
      padding: .55rem max(1rem, calc(50vw - 33rem)); background: var(--card); border-bottom: 1px solid var(--line) }
    nav a { color: inherit; text-decoration: none; padding: .3rem 0; border-bottom: 2px solid transparent }
    nav a[aria-current] { border-color: var(--accent); font-weight: 600 }
    .brand { display: inline-flex; gap: .5rem; align-items: center; font-weight: 700; border: 0 }
    .space { flex: 1 }
    .who { max-width: 14rem }
    main { max-width: 68rem; margin: 0 auto; padding: 1rem 1rem 4rem; outline: 0 }
    h1 { font-size: 1.65rem; line-height: 1.25; margin: .6rem 0 } h2 { font-size: 1.15rem; margin: 0 0 .7rem } h3 { font-size: 1rem; margin: .5rem 0 }
    p { margin: .35rem 0 } section { margin: 1.6rem 0 } small, .soft { color: var(--soft); font-size: .86rem; font-weight: 400 }
    code { font: .88em ui-monospace, monospace; color: var(--soft) }
    a { color: var(--accent) }
    button, .button, input, select, textarea { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
      padding: .42rem .75rem; min-height: 2.4rem }
    input, select, textarea { background: var(--back); width: 100%; min-width: 0 }
    input[type=checkbox] { width: 1.15rem; height: 1.15rem; min-height: 0; accent-color: var(--accent); flex: none; margin: .2rem 0 0 }
    input[type=range] { padding: 0; accent-color: var(--accent); border: 0; background: none }
    input:user-invalid { border-color: var(--bad) }
    button, .button { cursor: pointer; font-weight: 600; text-decoration: none; display: inline-flex; align-items: center; justify-content: center }
    button:hover:enabled, .button:hover { border-color: var(--accent) }
    button:disabled { opacity: .45; cursor: not-allowed }
    button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
    button.danger { color: var(--bad); border-color: color-mix(in srgb, var(--bad) 45%, transparent) }
    button.plain { border-color: transparent; background: none; padding: .3rem .4rem; font-weight: 400 }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    main:focus-visible { outline: 0 }
    .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end } .row > .field { margin: 0 } .row.end, .end { justify-content: end; text-align: right }
    form.row { align-items: end; margin: .8rem 0 } form.row > input { width: auto; flex: 1 1 7rem } form.row > input:first-child { flex: 4 1 14rem }
    .head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: start } .head > div { min-width: 0; flex: 1 1 14rem }
    .panel { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1rem }
    .drop { display: grid; gap: .6rem; justify-items: center; text-align: center; padding: 1.1rem; border: 2px dashed var(--line); border-radius: .6rem }
    .over { border-color: var(--accent) } .over .drop { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 10%, transparent) }
    .away { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; opacity: 0; pointer-events: none }
    .grid { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); margin-bottom: .7rem }
    .field { display: grid; gap: .2rem; margin-bottom: .6rem; align-content: start } .grid .field { margin: 0 } label { font-weight: 600; font-size: .92rem }
    .tick { display: flex; gap: .6rem; align-items: start; margin: .6rem 0; cursor: pointer } .tick small { display: block }
    .percent { align-items: center; margin-bottom: .8rem } .percent input { width: 6rem }
    progress { width: 100%; height: .9rem; accent-color: var(--accent) } meter { width: 7rem; vertical-align: middle }
    .cards, .channels, .findings { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: .7rem }
    .cards { grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)) }
    .cards a { display: flex; gap: .8rem; align-items: center; height: 100%; padding: .8rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem;
      color: inherit; text-decoration: none } .cards a:hover { border-color: var(--accent) }
    .tile { flex: none; display: grid; place-items: center; width: 2.9rem; height: 2.9rem; border-radius: .7rem; font-size: 1.3rem; font-weight: 700; color: var(--accent);
      background: color-mix(in srgb, var(--accent) 14%, transparent) }
    .about { display: grid; min-width: 0 } .about b, .about code { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden }
    .channels { grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); margin: 0 } .channels .row { margin-top: .5rem } .big { font-size: 1.45rem; font-weight: 700; margin: .1rem 0 }
    .badge { display: inline-block; font-size: .78rem; font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; margin-inline-start: .4rem; vertical-align: middle;
      background: color-mix(in srgb, var(--accent) 14%, transparent); color: var(--accent) } td > div > .badge:first-child, p > .badge:first-child { margin: 0 }
    .badge.error { background: var(--bad-back); color: var(--bad) } .badge.warning { background: var(--warn-back); color: var(--warn) } .badge.good { background: var(--good-back); color: var(--good) }
    .findings li { border-inline-start: 4px solid var(--line); padding: .3rem .8rem; background: var(--card); border-radius: .4rem }
    .findings li.error { border-color: var(--bad) } .findings li.warning { border-color: var(--warn) } .advice { color: var(--soft) }
    .alarm, .bad, .good:not(.badge) { border-radius: .6rem; padding: .6rem .9rem; margin: .7rem 0 }
    .alarm, .bad { background: var(--bad-back) } .alarm { color: var(--bad) } .good:not(.badge) { background: var(--good-back) }
    .empty { color: var(--soft); padding: .8rem 0 } .notes { white-space: pre-wrap; max-width: 46rem } .pages { text-align: center }
    table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; overflow: hidden; font-size: .94rem }
    th, td { text-align: start; padding: .6rem .7rem; border-top: 1px solid var(--line); vertical-align: middle } thead th { border: 0; color: var(--soft); font-size: .84rem }
    td .row { gap: .35rem } td button, td .button { min-height: 2rem; padding: .15rem .6rem; font-size: .88rem } .gone { opacity: .7 } .long { font-size: .84rem; color: var(--soft) }
    .log td:nth-child(-n+4) { white-space: nowrap } .log td:nth-child(2) > div { white-space: normal; min-width: 5rem }
    figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1rem } figcaption { color: var(--soft) }
    .chart { width: 100%; height: auto; display: block } .chart rect { fill: var(--accent) } .chart line { stroke: var(--line) } .chart text { fill: var(--soft); font-size: 12px }
    .login { max-width: 24rem; margin: 10vh auto 0; display: grid; gap: .6rem } .login h1 { margin: 0 }
    dialog { width: min(32rem, calc(100vw - 2rem)); border: 1px solid var(--line); border-radius: .9rem; padding: 1.2rem; background: var(--card); color: inherit }
    dialog::backdrop { background: rgb(0 0 0 / .45) } dialog .row.end { margin-top: 1rem }
    .toast { position: fixed; inset: auto 1rem 1rem; max-width: 26rem; margin: 0 auto; padding: .6rem 1rem; border-radius: .6rem; text-align: center; background: var(--text); color: var(--back);
      opacity: 0; pointer-events: none; transition: opacity .2s } .toast.seen { opacity: 1 }
    @media (prefers-reduced-motion: reduce) { .toast { transition: none } }
    @media (max-width: 44rem) {
      body > nav { position: static } .who small { display: none }
      table, tbody, tr, td { display: block } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
      tr { padding: .5rem .2rem; border-top: 1px solid var(--line) } tr:first-child { border: 0 }
      td { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .5rem; border: 0; padding: .2rem .7rem; align-items: center }
      .log td:nth-child(n) { white-space: normal }
      td::before { content: attr(data-label); color: var(--soft); font-size: .84rem }
    }

    """#
}
