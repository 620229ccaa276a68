/// The list of games, and the upload of a package.
extension ConsoleScript {
  static let games = #"""
    // The list of games.
    const gamesPage = (query) => {
      document.title = `${say.heading} · GameDepot`;
      const search = el('input', { type: 'search', value: query.get('q') ?? '', maxLength: 128, dir: 'auto',
        placeholder: say.search, ariaLabel: say.search });
      const channel = el('input', { value: query.get('channel') ?? 'stable', maxLength: 64, ariaLabel: say.channel, size: 8 });
      const body = el('ul', { className: 'cards' }), slot = el('div');
      const list = () => {
        body.replaceChildren();
        const words = new URLSearchParams({ limit: '60', channel: channel.value.trim() || 'stable' });
        if (search.value.trim()) words.set('q', search.value.trim());
        slot.replaceChildren(pages((next) => api(`games?${words}${next === null ? '' : `&after=${part(next)}`}`), (page) => {
          body.append(...page.games.map(gameCard));
          return page.games.length;
        }, () => search.value.trim() ? say.nothingFound : say.nothing));
      };
      const find = (event) => {
        event.preventDefault();
        const words = new URLSearchParams();
        if (search.value.trim()) words.set('q', search.value.trim());
        if (channel.value.trim() && channel.value.trim() !== 'stable') words.set('channel', channel.value.trim());
        history.replaceState(null, '', `#/${words.size ? `?${words}` : ''}`);
        list();
      };
      list();
      return [el('h1', {}, say.heading),
        el('form', { className: 'row', role: 'search', onsubmit: find }, search, channel,
          el('button', { type: 'submit' }, say.filter)),
        mayPublish() ? uploader({}, list) : el('p', { className: 'empty' }, say.readOnly), body, slot];
    };
    const gameCard = (game) => el('li', {}, el('a', { href: `#/games/${part(game.gameId)}` },
      el('span', { className: 'tile', ariaHidden: 'true' }, [...game.title][0] ?? '?'),
      el('span', { className: 'about' }, name(game.title, 'b'), name(game.gameId, 'code'),
        el('small', {}, game.h5Version, ' · ', bytes(game.h5Size), ' · ', when(game.publishedAt)))));

    // Choosing a package, its fields, its way to the server, and what the server found.
    const uploader = ({ gameId, channel }, after) => {
      const box = el('section', { className: 'panel', ariaLabel: say.upload });
      const picker = el('input', { type: 'file', accept: '.zip,application/zip', className: 'away', tabIndex: -1, ariaHidden: 'true' });
      const outcome = el('div', { ariaLive: 'polite' });
      const start = () => {
        box.replaceChildren(el('div', { className: 'drop' }, el('p', {}, say.drop),
          button(say.choose, () => picker.click(), { className: 'main', id: 'choose' })), picker, outcome);
      };
      const take = (file) => {
        outcome.replaceChildren();
        if (file) box.replaceChildren(uploadForm(file, { gameId, channel }, { picker, outcome, again: start, after }), picker, outcome);
      };
      picker.addEventListener('change', () => { take(picker.files[0]); picker.value = ''; });
      // Dragging over a child leaves the parent, so leaving is counted.
      let depth = 0;
      const over = (by) => (event) => {
        event.preventDefault();
        depth = Math.max(0, depth + by);
        box.classList.toggle('over', depth > 0);
      };
      box.addEventListener('dragenter', over(1));
      box.addEventListener('dragleave', over(-1));
      box.addEventListener('dragover', (event) => event.preventDefault());
      box.addEventListener('drop', (event) => { over(-depth)(event); take(event.dataTransfer.files[0]); });
      start();
      return box;
    };

    const uploadForm = (file, { gameId, channel }, { picker, outcome, again, after }) => {
      // `<gameId>-<version>.zip`, as the depot itself names packages.
      const guess = /^([A-Za-z0-9][A-Za-z0-9._-]*?)[-_]v?([0-9][A-Za-z0-9._+-]*)\.zip$/.exec(file.name) ?? [];
      const id = el('input', { value: gameId ?? guess[1] ?? file.name.replace(/\.zip$/i, ''), required: true, maxLength: 128,
        pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', readOnly: Boolean(gameId), autocapitalize: 'off', spellcheck: false });
      const version = el('input', { value: guess[2] ?? '', required: true, maxLength: 64, pattern: '[A-Za-z0-9][A-Za-z0-9._+\\-]*' });
      const title = el('input', { maxLength: 200, dir: 'auto' }), to = el('input', { value: channel ?? 'stable', required: true, maxLength: 64 });
      const notes = el('textarea', { rows: 2, maxLength: 10000, dir: 'auto' }), host = el('input', { maxLength: 64 });
      const mandatory = el('input', { type: 'checkbox' });
      const progress = el('progress', { max: 100, value: 0, hidden: true, ariaLabel: say.upload }), line = el('p', { role: 'status' });
      const go = el('button', { type: 'submit', className: 'main' }, say.publish);
      const other = button(say.another, () => picker.click());
      let running = null;
      const stop = button(say.stop, () => running?.abort(), { hidden: true });
      const busy = (is) => {
        for (const one of [go, other, id, version, title, to, notes, host, mandatory]) one.disabled = is;
        stop.hidden = progress.hidden = !is;
      };
      const finish = (content, text = '') => {
        busy(false);
        line.textContent = text;
        outcome.replaceChildren(...[content].flat().filter(Boolean));
      };
      const send = (event) => {
        event.preventDefault();
        outcome.replaceChildren();
        const form = new FormData();
        const fields = { gameId: id.value, h5Version: version.value, channel: to.value, title: title.value.trim(),
          notes: notes.value.trim(), minHostVersion: host.value.trim(), mandatory: mandatory.checked ? 'true' : '' };
        // The fields go first: what they rule out is told before the package is sent.
        for (const [key, value] of Object.entries(fields)) if (value) form.append(key, value);
        form.append('package', file, 'package.zip');
        running = new XMLHttpRequest();
        running.open('POST', 'games');
        running.upload.onprogress = ({ loaded, total }) => {
          progress.value = total ? (loaded / total) * 100 : 0;
          line.textContent = loaded < total ? say.sending(Math.floor((loaded / total) * 100)) : say.checking;
        };
        running.upload.onload = () => { progress.removeAttribute('value'); line.textContent = say.checking; };
        running.onabort = () => finish(null, say.stopped);
        running.onerror = () => finish(alarm(new Error(say.offline)));
        running.onload = () => answered(running, fields);
        progress.value = 0;
        line.textContent = say.sending(0);
        busy(true);
        stop.focus();
        running.send(form);
      };
      const answered = (request, fields) => {
        let value = {};
        try { value = JSON.parse(request.responseText); } catch { /* Something between us and the server answered. */ }
        const findings = value.findings ?? [];
        if (request.status === 201 || request.status === 200) {
          again();
          outcome.replaceChildren(el('div', { className: 'good', role: 'status' },
            el('p', {}, request.status === 201 ? say.done(fields.gameId, fields.h5Version) : say.already(fields.gameId, fields.h5Version),
              ' ', !gameId && el('a', { href: `#/games/${part(fields.gameId)}` }, say.look)),
            findings.length ? [el('h3', {}, say.warnings), findingsList(findings)] : null));
          outcome.scrollIntoView({ block: 'nearest' });
          after();
          return;
        }
        if (request.status === 401) { me = null; show(say.over); return; }
        const refusal = new Refusal(value, request.status);
        const errors = findings.filter((one) => one.severity === 'error');
        finish(findings.length
          ? el('div', { className: 'bad', role: 'alert' }, el('h3', {}, say.refused, ' — ', say.errors(errors.length)),
            findingsList([...errors, ...findings.filter((one) => one.severity !== 'error')]))
          : alarm(refusal));
        outcome.scrollIntoView({ block: 'nearest' });
      };
      setTimeout(() => (id.value && !version.value ? version : go).focus());
      return el('form', { onsubmit: send },
        el('h2', {}, name(file.name), el('small', {}, ' ', bytes(file.size))),
        el('div', { className: 'grid' }, field(say.gameId, id), field(say.version, version), field(say.channel, to),
          field(`${say.title} (${say.optional})`, title), field(`${say.host} (${say.optional})`, host, say.hostHint),
          field(`${say.notes} (${say.optional})`, notes)),
        tick(say.mandatory, mandatory, say.mandatoryHint),
        progress, line, el('div', { className: 'row' }, go, other, stop));
    };

    """#
}
