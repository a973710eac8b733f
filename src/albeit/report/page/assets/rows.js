// A table that draws only the rows in sight, so that ten thousand scroll smoothly.

const PRINTED = 300; // rows that go on paper

/** Height of a row in pixels, by the lines that most segments take; rows are cut to it, and open in full. */
function rowHeight(report, columns, narrow) {
  if (!report.lines) return narrow ? 24 + 24 * columns : 40;
  const sizes = report.system_texts[0].slice(0, 500).map((t) => t.length).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length * 0.75)] || 0;
  if (narrow) return 20 + columns * (22 + 20 * Math.max(1, Math.min(3, Math.ceil(usual / 42)))); // each text under the other
  return 44 + 20 * Math.max(2, Math.min(4, Math.ceil((usual * columns) / 144)));
}

/** The rows in sight, and empty room above and below for all others. */
function Rows({ report, rows, metric, a, b, source, open, onOpen }) {
  const box = useRef(null);
  const shownSystems = report.lines ? [...new Set([a, b])] : report.systems.map((_, s) => s);
  const narrow = useNarrow();
  const columns = (report.lines ? 1 : 0) + (source ? 1 : 0) + shownSystems.length;
  const ROW = useMemo(() => rowHeight(report, columns, narrow), [columns, narrow]);
  const [range, setRange] = useState([0, 14]);
  const [active, setActive] = useState(0);
  const look = useCallback(() => {
    const first = Math.floor(box.current.scrollTop / ROW);
    const count = Math.ceil(box.current.clientHeight / ROW) + 1;
    const next = [Math.max(0, first - 4), first + count + 4];
    setRange((last) => (last[0] === next[0] && last[1] === next[1] ? last : next));
  }, [ROW]);
  useEffect(() => { // other rows are another list: it begins at its top
    look();
    const heard = { resize: look, beforeprint: () => setRange([0, PRINTED]), afterprint: look };
    for (const [name, act] of Object.entries(heard)) addEventListener(name, act);
    return () => Object.entries(heard).forEach(([name, act]) => removeEventListener(name, act));
  }, [look]);
  const move = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5, Home: -rows.length, End: rows.length };
    if (event.key === "Enter" && event.target === event.currentTarget) return onOpen(rows[active]);
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, active + steps[event.key]));
    setActive(next);
    const top = next * ROW, view = box.current;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
  };
  const [from, to] = [range[0], Math.min(range[1], rows.length)];
  return html`<div class="rows" ref=${box} onScroll=${look} onKeyDown=${move} tabindex="0" role="listbox"
      aria-label="segments; arrow keys move, Enter opens" aria-activedescendant=${`row-${rows[active]}`}>
    <div style=${{ height: `${rows.length * ROW}px` }} class="sheet">
      ${rows.slice(from, to).map((i, n) => html`<div key=${i} id=${`row-${i}`} role="option"
          class=${`row ${open === i ? "open" : ""} ${rows[active] === i ? "active" : ""}`} aria-selected=${open === i}
          style=${{ top: `${(from + n) * ROW}px`, height: `${ROW}px` }} onClick=${() => onOpen(i)}>
        <div class="number">${i + 1}</div>
        ${source && html`<div class="cell reference" lang=${report.set.source_lang} dir="auto"><b>source</b><p>${report.source[i]}</p></div>`}
        ${report.lines && html`<div class="cell reference" lang=${report.set.target_lang} dir="auto"><b>${report.references[0] ?? "source"}</b>
          <p>${report.reference_texts.length ? report.reference_texts[0][i] : report.source?.[i]}</p></div>`}
        ${shownSystems.map((s) => html`<div class="cell" lang=${report.set.target_lang} dir="auto">
          <b>${report.systems[s]} ${metric && html`<span class="score">${shown(metric.segment[s][i], metric.decimals)}</span>`}</b>
          ${report.lines && html`<p><${Differing} text=${report.system_texts[s][i]} other=${report.reference_texts[0]?.[i]} lang=${report.set.target_lang} /></p>`}</div>`)}
      </div>`)}
    </div></div>`;
}
