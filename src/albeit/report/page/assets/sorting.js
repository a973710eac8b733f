// Tables that are sorted by what their heads say; the order is kept in the address, as `column` or, turned round, `~column`.

/** `columns` has, by name, what a row is sorted by (`of`) and whether the largest comes first (`down`); what has no value comes last. */
function inOrder(rows, columns, asked, usual) {
  const turned = (asked ?? "").startsWith("~");
  const named = turned ? asked.slice(1) : asked;
  const by = named in columns ? named : usual;
  const { of, down } = columns[by];
  const way = down === turned ? 1 : -1;
  const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);
  const sorted = [...rows].sort((one, other) => {
    const [a, b] = [of(one), of(other)];
    if (!known(a) || !known(b)) return known(b) - known(a);
    return way * (typeof a === "string" ? a.localeCompare(b) : a - b);
  });
  return { by, turned: turned && by === named, falls: way < 0, rows: sorted };
}

/** The head of a column, which sorts by it; a second time turns the order round. */
function SortHead({ name, order, set, className = "", children }) {
  const on = order.by === name;
  return html`<th scope="col" class=${className} aria-sort=${on ? (order.falls ? "descending" : "ascending") : undefined}>
    <button type="button" class="sort" onClick=${() => set(on && !order.turned ? `~${name}` : name)}>${children}<span
      aria-hidden="true">${on ? (order.falls ? " ▾" : " ▴") : ""}</span></button></th>`;
}
