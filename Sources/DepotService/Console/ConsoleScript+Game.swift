/// The page of one game.
extension ConsoleScript {
  static let game = #"""
    // One game: its channels, its versions, its downloads.
    const gamePage = async (id) => {
      document.title = `${id} · GameDepot`;
      const detail = await gameDetail(id);
      document.title = `${detail.title} · GameDepot`;
      const again = () => show();
      const versions = el('tbody'), known = [];
      const heads = [say.version, say.state, say.size, say.published, say.actions];
      const list = pages((next) => api(`games/${part(id)}/versions?limit=50${next === null ? '' : `&after=${part(next)}`}`), (page) => {
        known.push(...page.versions);
        versions.append(...page.versions.map((one) => versionRow(id, one, detail, heads, again, known)));
        return page.versions.length;
      }, () => '');
      return [el('p', {}, el('a', { href: '#/' }, `← ${say.back}`)),
        el('header', { className: 'head' },
          el('div', {}, el('h1', {}, name(detail.title)), name(id, 'code')),
          may('admin') && button(say.edit, () => editGame(id, detail, again))),
        detail.notes && el('p', { className: 'notes', dir: 'auto' }, detail.notes),
        el('section', { ariaLabel: say.channels }, el('h2', {}, say.channels),
          el('ul', { className: 'channels' }, detail.channels.map((one) => channelCard(id, one, known, again)))),
        el('section', { ariaLabel: say.stats }, el('h2', {}, say.stats), statistics(id)),
        el('section', { ariaLabel: say.versions }, el('h2', {}, `${say.versions} (${detail.versionCount})`),
          el('table', { className: 'versions' },
            el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), versions), list),
        mayPublish(id) && el('section', {}, el('h2', {}, say.upload), uploader({ gameId: id }, again)),
        may('admin') && el('section', { className: 'end' },
          button(say.remove, () => removeGame(id), { className: 'danger' }))];
    };

    // A game need not be in the stable channel: then its versions tell which channels there are.
    const gameDetail = async (id) => {
      try { return await api(`games/${part(id)}`); } catch (error) {
        if (error.slug !== 'unknown-channel') throw error;
        const { versions } = await api(`games/${part(id)}/versions?limit=100`);
        for (const channel of new Set(versions.map((one) => one.channel))) {
          try { return await api(`games/${part(id)}?channel=${part(channel)}`); } catch (other) {
            if (other.slug !== 'unknown-channel') throw other;
          }
        }
        throw error;
      }
    };

    const channelCard = (id, channel, known, again) => {
      // The version that was published before the one it points at, of those that can still be downloaded.
      const previous = () => {
        const at = known.findIndex((one) => one.h5Version === channel.h5Version);
        return at < 0 ? undefined : known.slice(at + 1).find((one) => one.state === 'published');
      };
      return el('li', { className: 'panel' },
        el('div', { className: 'row' }, name(channel.name, 'b'), channel.mandatory && el('span', { className: 'badge warning' }, say.mandatory)),
        el('p', { className: 'big' }, name(channel.h5Version)),
        el('p', {}, `${say.rollout} ${channel.rollout} % `, el('meter', { min: 0, max: 100, value: channel.rollout, ariaLabel: say.rollout })),
        el('small', {}, say.since, ' ', when(channel.movedAt), channel.minHostVersion && ` · ${say.host} ${channel.minHostVersion}`),
        may('admin') && el('div', { className: 'row' },
          button(say.change, () => setChannel(id, channel, channel.h5Version, known, again), { ariaLabel: `${say.change}: ${channel.name}` }),
          button(say.rollBack, () => setChannel(id, channel, (previous() ?? channel).h5Version, known, again, say.rollBack),
            { ariaLabel: `${say.rollBack}: ${channel.name}` })));
    };

    // Promotes, rolls back, or changes how a version reaches a channel's clients.
    const setChannel = (id, channel, version, known, again, verb = say.save, channels) => {
      const usable = known.filter((one) => one.state === 'published').map((one) => one.h5Version);
      if (!usable.includes(version)) usable.unshift(version);
      const which = el('select', {}, usable.map((one) => el('option', { value: one, selected: one === version }, one)));
      const where = channels && el('select', {}, channels.map((one) => el('option', { value: one }, one)), el('option', { value: '' }, say.newName));
      const fresh = el('input', { maxLength: 64, disabled: true }), freshField = field(say.channelName, fresh);
      freshField.hidden = true;
      where?.addEventListener('change', () => {
        freshField.hidden = fresh.disabled = where.value !== '';
        fresh.required = where.value === '';
        if (!fresh.disabled) fresh.focus();
      });
      // What another version needs is not carried over: it begins with everybody.
      const same = version === channel.h5Version;
      const rollout = el('input', { type: 'range', min: 0, max: 100, step: 1, value: same ? channel.rollout : 100 });
      const percent = el('input', { type: 'number', min: 0, max: 100, step: 1, required: true, value: rollout.value, ariaLabel: `${say.rollout} %` });
      rollout.addEventListener('input', () => { percent.value = rollout.value; });
      percent.addEventListener('input', () => { rollout.value = percent.value; });
      const mandatory = el('input', { type: 'checkbox', checked: same && channel.mandatory });
      const host = el('input', { maxLength: 64, value: same ? channel.minHostVersion ?? '' : '' });
      ask(channels ? say.promoteTo(version) : `${say.channel} ${channel.name}`, el('div', {},
        where ? [field(say.channel, where), freshField] : field(say.version, which),
        field(say.rollout, rollout), el('div', { className: 'row percent' }, percent, '%'),
        field(say.host, host, say.hostHint), tick(say.mandatory, mandatory, say.mandatoryHint)),
      verb, async () => {
        const target = where ? where.value || fresh.value.trim() : channel.name;
        await api(`games/${part(id)}/channels/${part(target)}`, 'PUT', { h5Version: where ? version : which.value,
          rollout: Number(percent.value), mandatory: mandatory.checked, minHostVersion: host.value.trim() || null });
        tell(say.saved);
        await again();
      });
    };

    const versionRow = (id, one, detail, heads, again, known) => {
      const holders = detail.channels.filter((channel) => channel.h5Version === one.h5Version);
      const isYanked = one.state === 'yanked';
      const cells = [
        [name(one.h5Version, 'b'), holders.map((channel) => el('span', { className: 'badge' }, name(channel.name)))],
        el('span', { className: isYanked ? 'badge error' : 'badge good' }, isYanked ? say.yanked : say.published),
        bytes(one.h5Size), when(one.publishedAt),
        el('div', { className: 'row' },
          !isYanked && el('a', { className: 'button', download: '', href: `games/${part(id)}/versions/${part(one.h5Version)}/package.zip`,
            ariaLabel: `${say.download} ${one.h5Version}` }, say.download),
          may('admin') && !isYanked && button(say.promote, () => setChannel(id, {}, one.h5Version, known, again, say.promote,
            detail.channels.map((channel) => channel.name)), { ariaLabel: `${say.promote} ${one.h5Version}` }),
          may('admin') && !isYanked && button(say.yank, () => yank(id, one.h5Version, again), { className: 'danger',
            disabled: holders.length > 0, title: holders.length ? say.yankFirst : '', ariaLabel: `${say.yank} ${one.h5Version}` }))];
      return el('tr', { className: isYanked ? 'gone' : '' }, cells.map(labelled(heads)));
    };

    const yank = (id, version, again) => ask(`${say.yank}: ${version}`, el('p', {}, say.yankAsk(version)), say.yank, async () => {
      await api(`games/${part(id)}/versions/${part(version)}`, 'DELETE');
      tell(say.saved);
      await again();
    }, { danger: true });

    const removeGame = (id) => {
      const typed = el('input', { autocomplete: 'off', autocapitalize: 'off', spellcheck: false, ariaLabel: say.gameId });
      ask(say.remove, el('div', {}, el('p', {}, say.removeAsk), el('p', {}, name(id, 'code')), typed), say.remove, async () => {
        await api(`games/${part(id)}`, 'DELETE');
        location.hash = '#/';
      }, { danger: true, ready: () => typed.value === id });
    };

    const editGame = (id, detail, again) => {
      const title = el('input', { value: detail.title, maxLength: 200, required: true, dir: 'auto' });
      const notes = el('textarea', { value: detail.notes ?? '', rows: 5, maxLength: 10000, dir: 'auto' });
      ask(say.edit, el('div', {}, field(say.title, title), field(say.notes, notes, `${say.channel}: ${detail.channel}`)), say.save, async () => {
        await api(`games/${part(id)}?channel=${part(detail.channel)}`, 'PATCH', { title: title.value.trim(), notes: notes.value.trim() || null });
        tell(say.saved);
        await again();
      });
    };

    // Downloads of the last 30 days, a bar a day.
    const statistics = (id) => {
      const box = el('div', {}, el('p', { className: 'empty' }, say.loading));
      api(`games/${part(id)}/stats`).then((stats) => {
        const days = new Map();
        for (let at = Date.parse(stats.from); at <= Date.parse(stats.to) && days.size < 400; at += 86400000) {
          days.set(new Date(at).toISOString().slice(0, 10), 0);
        }
        for (const one of stats.days) days.set(one.day, (days.get(one.day) ?? 0) + one.downloads);
        const total = [...days.values()].reduce((sum, count) => sum + count, 0);
        box.replaceChildren(total ? chart(days, total) : el('p', { className: 'empty' }, say.noDownloads));
      }).catch((error) => {
        box.replaceChildren(error.status === 404 ? el('p', { className: 'empty' }, say.noStats) : alarm(error));
      });
      return box;
    };
    const chart = (days, total) => {
      const width = 720, height = 180, floor = 150, most = Math.max(...days.values());
      const step = width / days.size, all = [...days];
      const plot = el('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${say.stats}: ${say.total(total)}`, class: 'chart' },
        el('text', { x: 0, y: 12 }, String(most)), el('line', { x1: 0, x2: width, y1: 18, y2: 18 }),
        el('line', { x1: 0, x2: width, y1: floor, y2: floor }),
        all.map(([day, count], at) => {
          const tall = count ? Math.max(2, (count / most) * (floor - 20)) : 0;
          const bar = el('rect', { x: at * step + step * 0.12, y: floor - tall, width: step * 0.76, height: tall, rx: 2 });
          const tip = document.createElementNS('http://www.w3.org/2000/svg', 'title');
          tip.textContent = `${day}: ${count}`;
          bar.append(tip);
          return bar;
        }),
        el('text', { x: 0, y: height - 10 }, all[0][0]),
        el('text', { x: width, y: height - 10, 'text-anchor': 'end' }, all[all.length - 1][0]));
      return el('figure', {}, plot, el('figcaption', {}, say.total(total)),
        el('details', {}, el('summary', {}, say.day), table([say.day, say.downloads], all.filter(([, count]) => count).reverse().map(([day, count]) => [day, String(count)]))));
    };

    """#
}
