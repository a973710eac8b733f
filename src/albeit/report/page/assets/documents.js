// A document as a text to read, with its chains of words marked in every text, and its scores.

function Documents({ report, view, change }) {
  const docs = report.set.documents;
  const document = docs.find((d) => d.id === view.doc) || docs[0];
  const place = docs.indexOf(document);
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
  const measured = report.metrics.filter((m) => m.document);
  const options = all.map((t) => [t.name, t.name]);
  return html`<section aria-labelledby="documents-title">
    <h2 id="documents-title">Documents</h2>
    <div class="filters">
      <${Select} label="document" value=${document.id} onChange=${(v) => change({ doc: v, chain: null }, true)}
        options=${docs.map((d) => [d.id, `${d.id} (${d.stop - d.start})`])} />
      ${report.lines && html`<${Select} label="left" value=${all[left].name} onChange=${(v) => change({ left: v })} options=${options} />
        <${Select} label="right" value=${all[right].name} onChange=${(v) => change({ right: v })} options=${options} />`}
    </div>
    ${measured.length > 0 && html`<div class="wide"><table class="scores"><thead><tr><th scope="col">System</th>
      ${measured.map((m) => html`<th scope="col">${m.name}</th>`)}</tr></thead><tbody>
      ${report.systems.map((name, s) => html`<tr><th scope="row">${name}</th>
        ${measured.map((m) => html`<td>${shown(m.document[s][place], m.decimals)}</td>`)}</tr>`)}</tbody></table></div>`}
    ${chains.length > 0 && html`<${Chains} report=${report} chains=${chains} chain=${chain} change=${change} />`}
    ${report.lines && html`<div class="reading">${[left, right].map((t) => html`<div class="text" lang=${report.set.target_lang} dir="auto">
      <h4>${all[t].name}</h4>
      ${all[t].lines.slice(document.start, document.stop).map((line, n) => html`<p id=${`s${document.start + n + 1}`}>
        <a class="number" href=${linked({ tab: "segments", open: document.start + n + 1 })}>${document.start + n + 1}</a>
        ${" "}<${Chained} line=${line} chain=${chain} lang=${report.set.target_lang} /></p>`)}
    </div>`)}</div>`}
    ${(report.documents[document.id] || report.explain_at || report.later) && html`<${Why} report=${report} held=${report.documents[document.id]}
      query=${`document=${encodeURIComponent(document.id)}`} lines=${(text) => text.slice(document.start, document.stop).join("\n")}
      level="document" at=${place} only=${[left, right].map((t) => all[t].system).filter((s) => s !== undefined)} some=${true} view=${view} change=${change} />`}
  </section>`;
}

/** The words that a document takes up again; which texts do so is told of the one that is chosen. */
function Chains({ report, chains, chain, change }) {
  const references = report.references.length;
  const lostBy = (c) => (c.texts.some((t) => t < references)
    ? report.systems.filter((_, s) => !c.texts.includes(references + s)) : []);
  const heldBy = (c) => [...report.references, ...report.systems].filter((_, t) => c.texts.includes(t));
  return html`<h3>Words that come again</h3>
    <p class="muted">Choose a word to see where it stands. ✓: a reference and every system come back to it; ✗: a reference does, and some system does not.</p>
    <div class="choices" role="group" aria-label="chains">${chains.map((c) => html`<button type="button"
      aria-pressed=${chain === c} onClick=${() => change({ chain: chain === c ? null : c.word })}>
      ${c.word}${c.texts.every((t) => t >= references) ? "" : lostBy(c).length ? " ✗" : " ✓"}</button>`)}</div>
    ${chain && html`<p role="status">${chain.word}: comes again in ${heldBy(chain).join(", ")}${
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
