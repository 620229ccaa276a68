/// How the front page looks; it stands in the page, so that it needs no second request.
enum FrontStyle {
  static let css = """
    :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 16%, transparent);
      --accent: light-dark(#0b5cad, #7db8ff); font: 1rem/1.45 system-ui, sans-serif }
    * { box-sizing: border-box }
    body { max-width: 70rem; margin: 0 auto; padding: 1rem }
    header { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between }
    h1 { font-size: 1.6rem; margin: .3rem 0 }
    form { display: flex; gap: .5rem; flex: 0 1 22rem; min-width: 0 }
    input { flex: 1; min-width: 0; font: inherit; padding: .5rem .7rem; border: 1px solid var(--line); border-radius: .5rem }
    button, .play { font: inherit; font-weight: 600; padding: .5rem 1.1rem; border: 0; border-radius: .5rem; cursor: pointer;
      background: var(--accent); color: Canvas; text-decoration: none; white-space: nowrap }
    ul { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: 1rem;
      grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)) }
    @media (min-width: 40rem) { ul { grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)) } }
    li { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: .8rem; overflow: hidden }
    .cover { display: block; width: 100%; aspect-ratio: 16 / 9; object-fit: contain; background: var(--line) }
    span.cover { display: grid; place-items: center; font-size: 3rem; font-weight: 700; opacity: .55 }
    .about { display: flex; flex-direction: column; gap: .5rem; padding: .9rem; flex: 1 }
    h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere }
    p { margin: 0 }
    .facts { font-size: .9rem; opacity: .75; overflow-wrap: anywhere; flex: 1 }
    .facts span { white-space: nowrap }
    .ways { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: center; font-size: .95rem }
    a { color: var(--accent) }
    a:focus-visible, button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    nav, footer { display: flex; gap: 1rem; justify-content: center; margin: 1.5rem 0; font-size: .95rem }
    """
}
