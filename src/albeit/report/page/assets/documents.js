// A document as a text to read, with its chains of words marked in every text, and its scores.

function Documents({ report, view, change }) {
  const docs = report.set.documents;
  const measured = report.metrics.filter((m) => m.document);
  const metric = measured.find((m) => m.name === view.metric) || measured[0];
  const pairOf = pair(report, view);
  const order = ranked(report, metric, pairOf, view.order);
  const place = Math.max(docs.findIndex((d) => d.id === view.doc), -1);
  const at = place < 0 ? order.rows[0] : place;
  return html`<section aria-labelledby="documents-title">
    <h2 id="documents-title">Documents</h2>
    <${DocumentTable} report=${report} metric=${metric} measured=${measured} pairOf=${pairOf} order=${order} at=${at} change=${change} />
    <${DocumentOpened} report=${report} at=${at} rows=${order.rows} measured=${measured} view=${view} change=${change} /></section>`;
}

/** Documents in the order asked for: where A and B differ most comes first, unless a column is chosen. */
function ranked(report, metric, [a, b], asked) {
  const docs = report.set.documents;
  const columns = {
    document: { of: (d) => d, down: false }, segments: { of: (d) => docs[d].stop - docs[d].start, down: true },
  };
  if (!metric) return inOrder(docs.keys(), columns, asked, "document");
  report.systems.forEach((name, s) => (columns[`s${s}`] = { of: (d) => metric.document[s][d], down: metric.higher }));
  if (a === b) return inOrder(docs.keys(), columns, asked, "s0");
  columns.apart = { of: (d) => Math.abs(metric.document[a][d] - metric.document[b][d]), down: true };
  return inOrder(docs.keys(), columns, asked, "apart");
}

/** All documents with their scores by one metric; a row opens its document. */
function DocumentTable({ report, metric, measured, pairOf: [a, b], order, at, change }) {
  const docs = report.set.documents;
  const set = (by) => change({ order: by });
  const names = report.systems.map((s) => [s, s]);
  const apart = metric && a !== b;
  const difference = (d) => {
    const gain = metric.document[a][d] - metric.document[b][d];
    const way = (metric.higher ? 1 : -1) * gain;
    return html`<td class=${way > 0 ? "better" : way < 0 ? "worse" : ""}>${signed(gain, metric.decimals)} ${way > 0 ? "▲" : way < 0 ? "▼" : ""}</td>`;
  };
  return html`${metric && html`<div class="filters">
      <${Select} label="metric" value=${metric.name} onChange=${(v) => change({ metric: v })} options=${measured.map((m) => [m.name, m.name])} />
      ${apart && html`<${Select} label="A" value=${report.systems[a]} onChange=${(v) => change({ a: v })} options=${names} />
        <${Select} label="B" value=${report.systems[b]} onChange=${(v) => change({ b: v })} options=${names} />`}</div>`}
    <div class="tall"><${Wide} label="documents"><table class="scores"><caption>${docs.length} documents${apart
      ? `; ▲ A (${report.systems[a]}) is better, ▼ B (${report.systems[b]})` : ""}</caption>
      <thead><tr><${SortHead} name="document" order=${order} set=${set}>document<//><${SortHead} name="segments" order=${order} set=${set}>segments<//>
        ${apart && html`<${SortHead} name="apart" order=${order} set=${set}>A − B<//>`}
        ${metric && report.systems.map((name, s) => html`<${SortHead} name=${`s${s}`} order=${order} set=${set}><${Name} text=${name} /><//>`)}</tr></thead>
      <tbody>${order.rows.map((d) => html`<tr key=${d} class=${d === at ? "open" : ""}><th scope="row"><button type="button" class="link"
          aria-current=${d === at} onClick=${() => change({ doc: docs[d].id, chain: null }, true)}><${Name} text=${docs[d].id} /></button></th>
        <td>${docs[d].stop - docs[d].start}</td>${apart && difference(d)}
        ${metric && report.systems.map((_, s) => html`<td>${shown(metric.document[s][d], metric.decimals)}</td>`)}</tr>`)}</tbody></table><//></div>`;
}

/** One document: its scores, its chains, its texts side by side, and why it scored so. */
function DocumentOpened({ report, at, rows, measured, view, change }) {
  const document = report.set.documents[at];
  const index = rows.indexOf(at);
  const open = (step) => change({ doc: report.set.documents[rows[index + step]].id, chain: null });
  const all = [
    ...report.references.map((name, r) => ({ name: `reference ${name}`, lines: report.reference_texts[r] })),
    ...report.systems.map((name, s) => ({ name, lines: report.system_texts[s], system: s })),
  ];
  const [left, right] = [view.left, view.right].map((v, i) => {
    const found = all.findIndex((t) => t.name === v);
    return found < 0 ? Math.min(i ? report.references.length : 0, all.length - 1) : found;
  });
  const chains = report.chains[document.id] || [];
  const chain = chains.find((c) => c.word === view.chain);
  const options = all.map((t) => [t.name, t.name]);
  return html`<article class="opened card" aria-label=${`document ${document.id}`}>
    <header><h3>${document.id} <span class="muted">${document.stop - document.start} segments</span></h3>
      <div><button type="button" disabled=${index === 0} onClick=${() => open(-1)}>Previous</button>
      <button type="button" disabled=${index === rows.length - 1} onClick=${() => open(1)}>Next</button></div></header>
    ${measured.length > 1 && html`<${Wide} label="scores of the document"><table class="scores"><thead><tr><th scope="col">system</th>
      ${measured.map((m) => html`<th scope="col">${m.name}</th>`)}</tr></thead><tbody>
      ${report.systems.map((name, s) => html`<tr><th scope="row"><${Name} text=${name} /></th>
        ${measured.map((m) => html`<td>${shown(m.document[s][at], m.decimals)}</td>`)}</tr>`)}</tbody></table><//>`}
    ${chains.length > 0 && html`<${Chains} report=${report} chains=${chains} chain=${chain} change=${change} />`}
    ${report.lines && html`<div class="filters">
      <${Select} label="left" value=${all[left].name} onChange=${(v) => change({ left: v })} options=${options} />
      <${Select} label="right" value=${all[right].name} onChange=${(v) => change({ right: v })} options=${options} /></div>
      <${Reading} report=${report} document=${document} texts=${[all[left], all[right]]} chain=${chain} />`}
    ${(report.documents[document.id] || report.explain_at || report.later) && html`<${Why} report=${report} held=${report.documents[document.id]}
      query=${`document=${encodeURIComponent(document.id)}`}
      only=${[left, right].map((t) => all[t].system).filter((s) => s !== undefined)} some=${true} view=${view} change=${change} />`}
  </article>`;
}

/** Two texts of a document, segment by segment, side by side (on a phone: one below the other). */
function Reading({ report, document, texts, chain }) {
  const lang = report.set.target_lang;
  const numbers = Array.from({ length: document.stop - document.start }, (_, n) => document.start + n);
  return html`<div class="reading"><div class="pair heads">${texts.map((t) => html`<h4><${Name} text=${t.name} /></h4>`)}</div>
    ${numbers.map((n) => html`<div class="pair" key=${n}>${texts.map((t, side) => html`<p lang=${lang} dir="auto">
      ${side === 0 ? html`<a class="number" href=${linked({ tab: "segments", open: n + 1 })} aria-label=${`segment ${n + 1}`}>${n + 1}</a>` : ""}
      ${" "}<${Chained} line=${t.lines[n]} chain=${chain} lang=${lang} /></p>`)}</div>`)}</div>`;
}

/** The repeated words of a document; for the chosen word, the texts that repeat it. */
function Chains({ report, chains, chain, change }) {
  const references = report.references.length;
  const lostBy = (c) => (c.texts.some((t) => t < references)
    ? report.systems.filter((_, s) => !c.texts.includes(references + s)) : []);
  const heldBy = (c) => [...report.references, ...report.systems].filter((_, t) => c.texts.includes(t));
  return html`<h4>Repeated words</h4>
    <p class="muted">Select a word to highlight it. ✓: repeated in a reference and in every system; ✗: repeated in a reference, but not in every system.</p>
    <div class="choices" role="group" aria-label="chains">${chains.map((c) => html`<button type="button"
      aria-pressed=${chain === c} onClick=${() => change({ chain: chain === c ? null : c.word })}>
      ${c.word}${c.texts.every((t) => t >= references) ? "" : lostBy(c).length ? " ✗" : " ✓"}</button>`)}</div>
    ${chain && html`<p role="status">${chain.word}: repeated in ${heldBy(chain).join(", ")}${
      lostBy(chain).length ? `; not in ${lostBy(chain).join(", ")}` : ""}.</p>`}`;
}

/** A line with the words of one chain marked, in any of the forms that the texts have. */
function Chained({ line, chain, lang }) {
  if (!chain) return line;
  const forms = chain.forms.map((f) => f.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  const [before, after] = isSpaced(lang) ? ["(?<![\\p{L}\\p{N}])", "(?![\\p{L}\\p{N}])"] : ["", ""];
  const parts = line.split(new RegExp(`${before}(${forms.join("|")})${after}`, "giu"));
  return parts.map((part, i) => (i % 2 ? html`<mark class="chain">${part}</mark>` : part));
}
