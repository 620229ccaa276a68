/// What its pages are made with: elements, requests, dialogs, lists.
extension ConsoleScript {
  static let core = #"""
    // The language chosen by hand, or else the browser's.
    const store = { get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
      set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* Nothing is remembered then. */ } } };
    let isChinese = false, say = english;
    const speak = (language) => {
      isChinese = language === 'zh';
      say = isChinese ? chinese : english;
      document.documentElement.lang = isChinese ? 'zh-CN' : 'en';
    };
    speak(store.get('language') ??
      (navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === 'en' || tag === 'zh') ?? 'en'));

    // Elements are made here and text is only ever text: no title or id of a game can become markup.
    const el = (name, attributes = {}, ...children) => {
      const svg = ['svg', 'rect', 'line', 'text', 'g'].includes(name);
      const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else if (key in node && !svg && key !== 'list' && key !== 'form') node[key] = value;
        else node.setAttribute(key, value === true ? '' : value);
      }
      node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
      return node;
    };
    // Names of others keep their own direction, and cannot turn round what stands beside them.
    const name = (text, of = 'bdi') => el(of, { dir: 'auto' }, text);
    const button = (text, click, attributes = {}) => el('button', { type: 'button', onclick: click, ...attributes }, text);
    const part = encodeURIComponent;
    const bytes = (count) => {
      const units = ['B', 'KB', 'MB', 'GB', 'TB'];
      let unit = 0, value = count;
      while (value >= 1000 && unit < 4) { value /= 1000; unit += 1; }
      return `${unit ? value.toLocaleString(document.documentElement.lang, { maximumSignificantDigits: 3 }) : value} ${units[unit]}`;
    };
    const when = (text) => el('time', { dateTime: text, title: text },
      new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' }));

    class Refusal extends Error {
      constructor(problem, status) {
        super(problem.detail ?? problem.title ?? `HTTP ${status}`);
        this.problem = problem;
        this.status = status;
        this.slug = (problem.type ?? '').split(':').pop();
      }
    }
    let me = null;
    const api = async (path, method = 'GET', body) => {
      let answer;
      try {
        answer = await fetch(path, { method, credentials: 'same-origin', redirect: 'error', cache: 'no-cache',
          headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body) });
      } catch { throw new Refusal({ detail: say.offline }, 0); }
      const text = await answer.text();
      let value = null;
      try { value = text ? JSON.parse(text) : null; } catch { /* Something between us and the server answered. */ }
      if (answer.ok) return value;
      const refusal = new Refusal(value ?? {}, answer.status);
      if (answer.status === 401 && me) { me = null; show(say.over); }
      throw refusal;
    };

    const main = el('main', { id: 'main', tabIndex: -1 });
    const toast = el('p', { className: 'toast', role: 'status' });
    let toasting;
    const tell = (text) => {
      toast.textContent = text;
      toast.classList.add('seen');
      clearTimeout(toasting);
      toasting = setTimeout(() => toast.classList.remove('seen'), 5000);
    };
    const alarm = (error) => el('p', { className: 'alarm', role: 'alert' }, error.message);
    const may = (scope) => me && (me.scope === 'admin' || me.scope === scope);
    const mayPublish = (game) => may('publish') && (!me.games || !game || me.games.includes(game));

    const field = (label, input, hint) => {
      input.id ||= `f${field.count = (field.count ?? 0) + 1}`;
      const about = hint && el('small', { id: `${input.id}-hint` }, hint);
      if (about) input.setAttribute('aria-describedby', about.id);
      return el('div', { className: 'field' }, el('label', { htmlFor: input.id }, label), input, about);
    };
    const tick = (label, input, hint) => el('label', { className: 'tick' }, input, el('span', {}, label, hint && el('small', {}, hint)));

    // Asks in a dialog; `act` may throw, which is then shown in it.
    const ask = (heading, content, verb, act, { danger = false, ready } = {}) => {
      const trouble = el('div');
      const go = el('button', { type: 'submit', className: danger ? 'danger' : 'main' }, verb);
      const dialog = el('dialog', { ariaLabel: heading },
        el('form', { method: 'dialog', noValidate: false, onsubmit: async (event) => {
          event.preventDefault();
          go.disabled = true;
          trouble.replaceChildren();
          try { await act(); dialog.close(); } catch (error) {
            if (me) trouble.replaceChildren(alarm(error)); else dialog.close();
          }
          go.disabled = ready ? !ready() : false;
        }, oninput: () => { if (ready) go.disabled = !ready(); } },
        el('h2', {}, heading), content, trouble,
        el('div', { className: 'row end' }, button(say.cancel, () => dialog.close()), go)));
      dialog.addEventListener('close', () => dialog.remove());
      document.body.append(dialog);
      if (ready) go.disabled = !ready();
      dialog.showModal();
    };

    const findingsList = (findings) => el('ul', { className: 'findings' }, findings.map((finding) => {
      const advice = isChinese ? chineseAdvice[finding.rule] ?? ruleAdvice[finding.rule] : ruleAdvice[finding.rule];
      return el('li', { className: finding.severity },
        el('p', {}, el('span', { className: `badge ${finding.severity}` }, say[finding.severity] ?? finding.severity), ' ',
          finding.path === null ? el('b', {}, say.wholePackage) : name(finding.path, 'code')),
        el('p', {}, name(finding.detail)),
        advice && el('p', { className: 'advice' }, `→ ${advice}`), el('small', {}, finding.rule));
    }));
    // On a phone each cell stands on a line of its own, behind the name of its column.
    const labelled = (heads) => (cell, at) => el('td', { 'data-label': heads[at] }, el('div', {}, cell));
    const table = (heads, rows) => el('table', {},
      el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map(labelled(heads))))));

    // A list that comes in pages.
    const pages = (fetchPage, add, empty) => {
      const trouble = el('div'), more = el('button', { type: 'button', hidden: true }, say.more);
      let next = null, first = true;
      const load = async () => {
        more.disabled = true;
        try {
          const page = await fetchPage(next);
          next = page.next;
          const count = add(page);
          trouble.replaceChildren(first && !count ? el('p', { className: 'empty' }, empty()) : '');
          first = false;
        } catch (error) { trouble.replaceChildren(alarm(error)); }
        more.hidden = next === null;
        more.disabled = false;
      };
      more.addEventListener('click', load);
      load();
      return el('div', { className: 'pages' }, trouble, more);
    };

    """#
}
