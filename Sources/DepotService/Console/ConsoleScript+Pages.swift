/// The audit log, the login, and which page is shown.
extension ConsoleScript {
  static let pages = #"""
    const auditPage = (query) => {
      document.title = `${say.log} · GameDepot`;
      const game = el('input', { value: query.get('game') ?? '', maxLength: 128 });
      const actor = el('input', { value: query.get('actor') ?? '', maxLength: 64 });
      const heads = [say.at, say.actor, say.from, say.action, say.subject, say.detail];
      const body = el('tbody'), slot = el('div');
      const list = () => {
        const words = new URLSearchParams({ limit: '100' });
        if (game.value.trim()) words.set('game', game.value.trim());
        if (actor.value.trim()) words.set('actor', actor.value.trim());
        body.replaceChildren();
        slot.replaceChildren(pages((next) => api(`audit?${words}${next === null ? '' : `&after=${part(next)}`}`), (page) => {
          body.append(...page.entries.map((entry) => el('tr', {}, [when(entry.at), name(entry.actor ?? '–'), entry.from ?? '–', el('code', {}, entry.action),
            [name(entry.subject), entry.h5Version && ` ${entry.h5Version}`, entry.channel && ` → ${entry.channel}`],
            el('span', { className: 'long' }, name(entry.detail ?? ''))].map(labelled(heads)))));
          return page.entries.length;
        }, () => say.noEntries));
      };
      list();
      return [el('h1', {}, say.log),
        el('form', { className: 'row', onsubmit: (event) => { event.preventDefault(); list(); } },
          field(say.game, game), field(say.actor, actor), el('button', { type: 'submit' }, say.filter)),
        el('table', { className: 'log' }, el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), body), slot];
    };

    const loginPage = (reason) => {
      document.title = `${say.logIn} · GameDepot`;
      const token = el('input', { type: 'password', required: true, maxLength: 512, autocomplete: 'current-password', spellcheck: false });
      const trouble = el('div', {}, reason && alarm(new Error(reason)));
      const go = el('button', { type: 'submit', className: 'main' }, say.logIn);
      setTimeout(() => token.focus());
      return el('form', { className: 'login panel', onsubmit: async (event) => {
        event.preventDefault();
        go.disabled = true;
        try {
          me = await api('console/session', 'POST', { token: token.value.trim() });
          await show();
          main.focus();
        } catch (error) {
          trouble.replaceChildren(alarm(error));
          token.select();
        }
        go.disabled = false;
      } }, el('h1', {}, 'GameDepot'), field(say.token, token, say.tokenHint), trouble, go);
    };

    const bar = () => {
      const here = location.hash.startsWith('#/audit');
      return el('nav', { ariaLabel: 'GameDepot' },
        el('a', { className: 'brand', href: '#/' }, el('img', { src: 'console/icon.svg', alt: '', width: 28, height: 28 }), el('span', {}, 'GameDepot')),
        me && el('a', { href: '#/', ariaCurrent: here ? null : 'page' }, say.heading),
        may('admin') && el('a', { href: '#/audit', ariaCurrent: here ? 'page' : null }, say.log),
        el('span', { className: 'space' }),
        me && el('span', { className: 'who' }, name(me.name), el('small', {}, ` ${me.scope}`)),
        button(say.language, () => {
          store.set('language', isChinese ? 'en' : 'zh');
          speak(isChinese ? 'en' : 'zh');
          show();
        }, { lang: isChinese ? 'en' : 'zh-CN', className: 'plain' }),
        me && button(say.logOut, async () => {
          try { await api('console/session', 'DELETE'); } catch (error) { tell(error.message); return; }
          me = null;
          show();
        }, { className: 'plain' }));
    };

    // What the address says, and who is there, as a page. Only the newest one that was asked for is shown.
    let asked = 0;
    const show = async (reason) => {
      const turn = asked += 1;
      const [path, words] = location.hash.slice(1).split('?');
      const query = new URLSearchParams(words ?? '');
      const steps = path.split('/').slice(1).map((step) => { try { return decodeURIComponent(step); } catch { return step; } });
      let content;
      if (!me) content = loginPage(reason);
      else {
        try {
          if (steps[0] === 'games' && steps[1]) content = await gamePage(steps[1]);
          else if (steps[0] === 'audit') content = auditPage(query);
          else if (!steps[0]) content = gamesPage(query);
          else content = el('p', {}, say.missing);
        } catch (error) {
          if (!me) return;
          content = [el('p', {}, el('a', { href: '#/' }, `← ${say.back}`)), alarm(error)];
        }
      }
      if (turn !== asked) return;
      document.querySelector('body > nav')?.replaceWith(bar());
      main.replaceChildren(...[content].flat().filter(Boolean));
    };
    const begin = async () => {
      document.body.replaceChildren(bar(), main, toast);
      try { me = await api('console/session'); } catch { me = null; }
      addEventListener('hashchange', async () => {
        for (const dialog of document.querySelectorAll('dialog')) dialog.close();
        await show();
        scrollTo(0, 0);
        main.focus();
      });
      // A file that misses its place must not replace the page.
      for (const kind of ['dragover', 'drop']) addEventListener(kind, (event) => event.preventDefault());
      await show();
    };
    begin();

    """#
}
