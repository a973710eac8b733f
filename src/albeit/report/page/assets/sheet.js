// A sheet for blind human judgments of how connectives are translated.

/** What a rater said so far, kept in this browser under the sheet's key and the rater's name. */
function useAnswers(sheet) {
  const key = (rater) => `albeit-act ${sheet.key} ${rater}`;
  const kept = (rater) => {
    try {
      return JSON.parse(localStorage.getItem(key(rater))) || {};
    } catch {
      return {}; // a browser that keeps nothing
    }
  };
  const [rater, setRater] = useState("");
  const [answers, setAnswers] = useState(() => kept(""));
  const keep = (name, said) => {
    setAnswers(said);
    try {
      localStorage.setItem(key(name), JSON.stringify(said));
    } catch {
      // a browser that keeps nothing: answers last until the page is closed
    }
  };
  const say = (id, verdict) => {
    const { [id]: _, ...others } = answers;
    keep(rater, verdict ? { ...others, [id]: verdict } : others);
  };
  const rename = (name) => {
    const own = kept(name);
    setRater(name);
    if (Object.keys(own).length) setAnswers(own);
    else if (!rater) keep(name, answers); // what was said before the name was given is the rater's
    else setAnswers({});
  };
  return { rater, rename, answers, say };
}

/** The answers as 'albeit act merge' reads them, in a file that is named after the rater. */
function saveAnswers(sheet, rater, answers) {
  const name = rater.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "");
  const rows = sheet.items.map(({ id }) => `${id}\t${answers[id] || ""}`);
  const text = [`#: rater=${rater.trim()}`, ...sheet.header, "id\tverdict", ...rows].join("\n") + "\n";
  download(`act-answers-${name}.tsv`, "text/tab-separated-values", text);
}

function Sheet({ data: sheet }) {
  const [view, change] = useView();
  const { rater, rename, answers, say } = useAnswers(sheet);
  const [at, setAt] = useState(0);
  const [error, setError] = useState("");
  const cards = useRef([]);
  const go = (n) => {
    const next = Math.max(0, Math.min(sheet.items.length - 1, n));
    setAt(next);
    cards.current[next]?.scrollIntoView({ block: "center" });
  };
  const judge = (n, verdict) => {
    say(sheet.items[n].id, verdict);
    if (verdict) go(n + 1);
  };
  const save = () => {
    if (!rater.trim()) return setError("Give your name first: the file is named after you.");
    setError("");
    saveAnswers(sheet, rater, answers);
  };
  const keys = { y: () => judge(at, "correct"), n: () => judge(at, "wrong"), u: () => judge(at, ""), j: () => go(at + 1), k: () => go(at - 1), s: save };
  const latest = useRef(keys);
  latest.current = keys; // a key that is pressed before the page is drawn again must not act on what was
  useEffect(() => addEventListener("keydown", (event) => {
    const act = latest.current[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    event.preventDefault();
    act();
  }), []);
  const done = sheet.items.filter(({ id }) => answers[id]).length;
  return html`<header class="top"><h1>Is the connective's sense kept?</h1><p class="muted">${sheet.title}</p>
      <${ThemeButton} view=${view} change=${change} /></header>
    <main><p class="words">Judge whether the translation says what the marked connective says in the source, with a word or
      without one. Keys: <kbd>y</kbd> correct, <kbd>n</kbd> wrong, <kbd>u</kbd> take back, <kbd>j</kbd> and <kbd>k</kbd> next and
      previous, <kbd>s</kbd> save. Answers stay in this browser until you save them as a file for <code>albeit act merge</code>.</p>
    <div class="bar-top"><label class="field"><span>your name</span><input value=${rater} autocomplete="name"
        onChange=${(e) => rename(e.target.value)} /></label>
      <span role="status">${done} of ${sheet.items.length} judged</span>
      <button type="button" onClick=${save}>Save answers</button>
      ${error && html`<span role="alert" class="error">${error}</span>`}</div>
    ${sheet.items.map((item, n) => html`<${Item} key=${item.id} item=${item} sheet=${sheet} verdict=${answers[item.id] || ""}
      now=${n === at} place=${(element) => (cards.current[n] = element)} onPick=${() => setAt(n)} onSay=${(v) => judge(n, v)} />`)}</main>`;
}

function Item({ item, sheet, verdict, now, place, onPick, onSay }) {
  const [before, word, after] = item.source;
  return html`<article class=${`card item ${verdict} ${now ? "now" : ""}`} ref=${place} onClick=${onPick}
      aria-label=${`line ${item.line}, ${item.connective}${verdict && `, judged ${verdict}`}`}>
    <p class="muted">line ${item.line} · ${item.connective}</p>
    <dl class="texts"><dt>source</dt><dd lang=${sheet.source_lang} dir="auto">${before}<mark class="chain">${word}</mark>${after}</dd>
      <dt>reference</dt><dd lang=${sheet.target_lang} dir="auto">${item.reference}</dd>
      <dt>translation</dt><dd lang=${sheet.target_lang} dir="auto">${item.candidate}</dd></dl>
    <div class="choices" role="group" aria-label="verdict">${["correct", "wrong"].map((name) => html`<button type="button"
      aria-pressed=${verdict === name} onClick=${(e) => (e.stopPropagation(), onSay(verdict === name ? "" : name))}>
      ${verdict === name ? "✓ " : ""}${name}</button>`)}</div></article>`;
}

start(Sheet);
