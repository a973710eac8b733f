// What every part of the page uses: the report's data, readable numbers, and the state in the URL.
const { h, render, Fragment } = preact;
const { useState, useEffect, useMemo, useRef, useCallback } = preactHooks;
const html = htm.bind(h);

/** The data that lie compressed in the page. */
async function unpack(element) {
  const text = atob(element.textContent.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Show the page's data by a component of one property, `data`, and then with what comes `later`; say so where that cannot be done. */
async function start(Component, prepare = (data) => data) {
  const root = document.getElementById("report");
  try {
    const data = prepare(await unpack(document.getElementById("data")));
    const later = document.getElementById("later");
    const show = () => render(html`<${Component} data=${data} />`, root);
    data.later = later !== null;
    root.textContent = "";
    show();
    performance.mark("report-shown");
    if (later) {
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
      Object.assign(data, await unpack(later), { later: false });
      show();
    }
    document.documentElement.dataset.whole = ""; // nothing is to come
  } catch (error) {
    root.textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2024 or newer.`;
  }
}

/** A report with everything in its place: what it has not is empty, an undefined score is NaN. */
function asReport(data) {
  const nothing = { leaders: [0, 1].slice(0, data.systems.length), tests: [], interval_notes: [], buckets: [], profile: [], phenomena: {}, explanations: {}, documents: {}, chains: {}, agreement: [] };
  const report = { ...nothing, ...data };
  Object.assign(report, byText(report));
  for (const metric of report.metrics) {
    for (const level of ["segment", "document"]) {
      if (metric[level]) metric[level] = metric[level].map((row) => Float64Array.from(row, (n) => n ?? NaN));
    }
  }
  return report;
}

/** Lines are kept segment by segment (source, references, systems); the page reads text by text. A report of scores alone has none. */
function byText({ lines, has_source: source, references }) {
  if (!lines) return { reference_texts: [], system_texts: [] };
  const texts = lines[0].map((_, t) => lines.map((row) => row[t]));
  const first = source ? 1 : 0;
  return {
    source: source ? texts[0] : undefined,
    reference_texts: texts.slice(first, first + references.length),
    system_texts: texts.slice(first + references.length),
  };
}

/** The warnings about the results, if there are any. */
function ReadFirst({ warnings }) {
  return warnings?.length > 0 && html`<aside class="card read-first" aria-labelledby="read-first"><h3 id="read-first">Read this first</h3>
    <ul class="warnings">${warnings.map((each) => html`<li>${each}</li>`)}</ul></aside>`;
}

/** A readable number. */
function shown(value, decimals = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function signed(value, decimals) {
  const text = shown(value, decimals);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

function pValue(p) {
  if (p === null || p === undefined) return "";
  return p < 0.001 ? "p < .001" : `p = ${p.toFixed(3).replace(/^0/, "")}`;
}

/** Colors and shapes of systems: safe for color-blind readers, never color alone. */
const SHAPES = ["circle", "square", "diamond", "up", "down", "cross"];

function mark(shape, x, y, size, props) {
  const s = size;
  const paths = {
    square: `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    diamond: `M${x} ${y - 1.3 * s}L${x + 1.3 * s} ${y}L${x} ${y + 1.3 * s}L${x - 1.3 * s} ${y}z`,
    up: `M${x} ${y - 1.2 * s}L${x + 1.2 * s} ${y + s}H${x - 1.2 * s}z`,
    down: `M${x} ${y + 1.2 * s}L${x + 1.2 * s} ${y - s}H${x - 1.2 * s}z`,
    cross: `M${x - s} ${y - s}L${x + s} ${y + s}M${x + s} ${y - s}L${x - s} ${y + s}`,
  };
  if (shape === "circle") return html`<circle cx=${x} cy=${y} r=${s} ...${props} />`;
  return html`<path d=${paths[shape]} ...${props} />`;
}

function systemMark(index, x, y, size = 5) {
  const name = SHAPES[index % SHAPES.length];
  return mark(name, x, y, size, { class: `mark tone-${index % 8} ${name === "cross" ? "open" : ""}` });
}

// ---- the state in the URL: what is seen can be linked ------------------------------------

function readState() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** The address of another view of the same report, in the same colors. */
function linked(state) {
  const { theme } = readState();
  return `#${new URLSearchParams({ ...state, ...(theme && { theme }) })}`;
}

/** The view's state, kept in the URL's fragment; values are strings, absent means default. */
function useView() {
  const [view, setView] = useState(readState);
  useEffect(() => {
    const follow = () => setView(readState());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const change = useCallback((changes, push = false) => {
    const next = new URLSearchParams(location.hash.slice(1));
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === "") next.delete(key);
      else next.set(key, String(value));
    }
    const address = `#${next}`;
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    setView(readState());
  }, []);
  return [view, change];
}

/** What the Escape key does, outside fields that it clears. */
function useEscape(close) {
  useEffect(() => {
    const heard = (event) => event.key === "Escape" && !event.target.closest?.("input, select, textarea") && close();
    addEventListener("keydown", heard);
    return () => removeEventListener("keydown", heard);
  });
}

/** Light or dark: as the reader's system has it, or as the button says. */
function ThemeButton({ view, change }) {
  const dark = view.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  useEffect(() => {
    document.documentElement.dataset.theme = dark;
  }, [dark]);
  return html`<button type="button" class="theme" onClick=${() => change({ theme: dark === "dark" ? "light" : "dark" })}>
    ${dark === "dark" ? "Light" : "Dark"}<span class="long"> colors</span></button>`;
}

// ---- small controls -------------------------------------------------------------------------

function Select({ label, value, options, onChange }) {
  return html`<label class="field"><span>${label}</span>
    <select value=${value} onChange=${(e) => onChange(e.target.value)}>
      ${options.map(([key, text]) => html`<option value=${key} selected=${key === value}>${text}</option>`)}
    </select></label>`;
}

function Field({ label, value, onChange, ...rest }) {
  return html`<label class="field"><span>${label}</span>
    <input value=${value ?? ""} onInput=${(e) => onChange(e.target.value)} ...${rest} /></label>`;
}

/** Whether the screen is a phone's. */
const NARROW = matchMedia("(max-width: 40rem)");
function useNarrow() {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const follow = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", follow);
    return () => NARROW.removeEventListener("change", follow);
  }, []);
  return narrow;
}

/** On a phone, what is not always needed lies folded behind a line. */
function Folded({ label, children }) {
  const narrow = useNarrow();
  return narrow ? html`<details class="folded"><summary>${label}</summary>${children}</details>` : children;
}

/** A box that scrolls sideways: its place, on which sides there is more (as classes), and what looks again when it was scrolled. */
function useMore() {
  const box = useRef(null);
  const [more, setMore] = useState("");
  const look = () => {
    const { scrollLeft, scrollWidth, clientWidth } = box.current;
    setMore([scrollLeft > 1 && "more-left", scrollLeft + clientWidth < scrollWidth - 1 && "more-right"].filter(Boolean).join(" "));
  };
  useEffect(() => {
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  });
  return [box, more, look];
}

/** Content that is wider than the screen scrolls by itself, fades where there is more of it, and takes the keyboard. */
function Wide({ label, children }) {
  const [box, more, look] = useMore();
  const region = more ? { role: "region", tabindex: "0", "aria-label": `${label}, wider than the screen` } : {};
  return html`<div class=${`wide ${more}`} ref=${box} onScroll=${look} ...${region}>${children}</div>`;
}

/** How wide an element is in pixels: charts are drawn at the page's own scale, so that their text has the page's size. */
function useWidth(usual) {
  const place = useRef(null);
  const [width, setWidth] = useState(usual);
  useEffect(() => {
    const look = () => place.current?.clientWidth && setWidth(place.current.clientWidth);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return [place, width];
}

/** A name that is cut where there is no room for it, and then in full as a tooltip. */
function Name({ text }) {
  return html`<span class="name" title=${text}>${text}</span>`;
}

/** Offer a file to the reader. */
function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Python counts characters, a browser counts halves of some: where the nth character begins. */
function offsets(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (n) => n;
  const starts = [0];
  for (const character of text) starts.push(starts[starts.length - 1] + character.length);
  return (n) => starts[n];
}
