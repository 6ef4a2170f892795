"use strict";
(() => {
  const started = performance.now();
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const STATUS = {
    X: ["fails", "\u2715", "It raises, or is led into code that cannot run there."],
    R: ["rejected", "\u2298", "The author turns it away in words."],
    "~": ["falls back", "\u2193", "It gets a default, or the way that a hardware test leaves for the rest."],
    "?": ["unknown", "?", "It could not be worked out, or something other than the hardware decides."],
    "+": ["works", "\u2713", "Every place that depends on the hardware has an answer for it."],
    ".": ["not reached", "\u00b7", "The architecture never comes to these places."],
  };
  const CLASS = { X: "fails", R: "rejected", "~": "falls", "?": "unknown", "+": "works", ".": "none" };
  const RANK = { ".": 0, "+": 1, "?": 2, "~": 3, r: 4, R: 5, x: 6, X: 7 };
  const targets = data.targets.map(([name, label, generation, capability]) => ({ name, label, generation, capability }));
  const ids = targets.map((_, i) => i);

  const rows = data.rows.map(([path, symbol, kind, line, depth, cells, sites, was, gone], index) => ({
    index, path: data.paths[path], pathId: path, symbol, kind, line, depth, cells, was, gone,
    sites: sites.map(([first, last, what, text, rule, effects, trace]) => ({ first, last, what, text, rule, effects, trace })),
    element: null, opened: false, shown: true,
  }));
  // What a row's own sites say, without the rows below it.
  for (const row of rows) {
    row.own = ids.map((i) => {
      let best = ".";
      for (const site of row.sites) for (const [status, on, sure] of site.effects) if (on.includes(i)) {
        const doubtful = !sure.includes(i) && (status === "X" || status === "R");
        const letter = doubtful ? status.toLowerCase() : status;
        if (RANK[letter] > RANK[best]) best = letter;
      }
      return best;
    }).join("");
    row.plain = row.own.toUpperCase();
    row.words = [row.path, row.symbol, ...row.sites.flatMap((s) => [s.text, s.rule, ...s.effects.map((e) => e[3])])].join("\n").toLowerCase();
    row.rules = [...new Set(row.sites.map((s) => s.rule).filter(Boolean))];
  }
  const files = [], fileOf = new Map();
  for (const row of rows) {
    if (row.depth === 0) { files.push({ row, inner: [], folded: false, element: null }); fileOf.set(row, files.at(-1)); }
    else files[files.length - 1].inner.push(row);
  }

  const state = {
    query: "", statuses: new Set(), differing: !data.compared, first: -1, second: -1, sort: "place", hidden: new Set(),
  };

  const visible = () => state.first >= 0 && state.second >= 0 ? [state.first, state.second] : ids.filter((i) => !state.hidden.has(i));
  const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const statusOf = (letter) => STATUS[letter.toUpperCase()];
  const label = (letter) => statusOf(letter)[0] + (letter === "x" || letter === "r" ? ", possibly" : "");
  const cell = (letter, extra = "", role = "") => {
    const upper = letter.toUpperCase();
    const maybe = letter !== upper ? " maybe" : "";
    return `<span class="c ${CLASS[upper]}${maybe}${extra}"${role}>${STATUS[upper][1]}</span>`;
  };
  const el = (markup) => { const t = document.createElement("template"); t.innerHTML = markup; return t.content.firstElementChild; };
  const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

  /* Filtering */
  function matches(row, columns, asked) {
    if (!row.sites.length && !row.gone) return false;
    for (const word of asked) if (!row.words.includes(word)) return false;
    const first = row.plain[columns[0]];
    if (state.first >= 0 && state.second >= 0) {
      if (first === row.plain[columns[1]]) return false;
    } else if (state.differing && !data.compared) {
      let telling = false;
      for (const i of columns) if (row.plain[i] !== first || row.plain[i] === "X") { telling = true; break; }
      if (!telling) return false;
    }
    if (state.statuses.size) {
      let found = false;
      for (const i of columns) if (state.statuses.has(row.plain[i])) { found = true; break; }
      if (!found) return false;
    }
    return true;
  }

  /* Drawing */
  function rowElement(row, flat) {
    const columns = visible();
    const key = `${flat}|${columns.join()}`;
    if (row.element && row.key === key) return row.element;
    const name = flat ? (row.symbol || "(module)") : row.symbol ? row.symbol.slice(row.symbol.lastIndexOf(".") + 1) : row.path;
    const where = flat ? `${row.path}:${row.line}` : row.kind === 0 ? "" : `:${row.line}`;
    const cells = flat || row.kind ? (row.sites.length ? row.own : row.cells) : row.cells;
    const shownCells = columns.map((i) => {
      const was = row.was[i] && row.was[i] !== " " ? ` changed` : "";
      return cell(cells[i], was, ` role="gridcell" data-i="${i}" aria-label="${targets[i].name}: ${label(cells[i])}"`);
    }).join("");
    const flag = row.rules.length ? `<span class="flag" title="findings">${row.rules.join(" ")}</span>` : "";
    const element = el(
      `<div class="row${row.gone ? " gone" : ""}${row.sites.length ? "" : " bare"}" role="row" tabindex="-1" data-row="${row.index}" data-kind="${flat ? 2 : row.kind}" aria-level="${row.depth + 1}">` +
      `<span class="name" role="rowheader" style="padding-left:${flat ? 0 : row.depth * 1.1}rem"><span class="twist" aria-hidden="true"></span>` +
      `<span class="text" title="${escaped(row.path + (row.symbol ? " " + row.symbol : ""))}"><bdi>${escaped(name)}</bdi></span>${flag}<span class="where">${escaped(where)}</span></span>${shownCells}</div>`);
    row.element = element; row.key = key;
    mark(row);
    return element;
  }

  function mark(row) {
    row.element.classList.toggle("open", row.opened);
    const file = row.depth === 0 && state.sort === "place";
    row.element.setAttribute("aria-expanded", String(file ? !fileOf.get(row).folded : row.opened));
  }

  function head() {
    const columns = visible();
    $("grid").style.setProperty("--n", columns.length);
    $("grid").classList.toggle("many", columns.length > 16);
    const cells = columns.map((i) => {
      const t = targets[i];
      const sorted = state.sort === String(i) ? ' aria-sort="descending"' : "";
      return `<div role="columnheader"${sorted}><button type="button" data-sort="${i}" title="${escaped(t.label)}\nclick: worst first">` +
        `<small>${escaped(t.name.startsWith("gfx") ? "gfx" : t.capability)}</small><b>${escaped(t.name.replace(/^(sm_|gfx)/, ""))}</b></button></div>`;
    }).join("");
    return el(`<div class="head" role="row"><div role="columnheader">${state.sort === "place" ? "file, class, function" : "function"}</div>${cells}</div>`);
  }

  /* One screen is drawn at once, the rest when the browser has time: a filter answers however long the list. */
  const ROW = 24, WAIT = 200;
  let rest = [], ticket = 0, timer = 0;

  function draw() {
    const began = performance.now();
    const columns = visible(), asked = state.query.split(/\s+/).filter(Boolean);
    let shown = 0, fails = 0;
    for (const row of rows) {
      row.shown = columns.length > 0 && matches(row, columns, asked);
      if (row.shown) { shown++; if (columns.some((i) => row.plain[i] === "X")) fails++; }
    }
    rest = state.sort === "place" ? fileGroups() : sortedGroups(columns);
    const parts = [head()];
    for (let count = 0; rest.length && count * ROW < innerHeight;) {
      const group = rest.shift()();
      count += group.childElementCount;
      parts.push(group);
    }
    $("grid").replaceChildren(...parts);
    cancelIdleCallback(ticket);
    clearTimeout(timer);
    if (rest.length) timer = setTimeout(() => { ticket = requestIdleCallback(fill); }, WAIT);  // somebody may go on typing
    $("empty").hidden = shown > 0;
    const all = rows.filter((row) => row.sites.length || row.gone).length;
    $("count").textContent = `${plural(shown, "row")} of ${all.toLocaleString("en")}` + (fails ? `, ${fails.toLocaleString("en")} with failures` : "");
    focusable();
    save();
    document.documentElement.dataset.drawn = (performance.now() - began).toFixed(1);
  }

  function fill(deadline) {
    while (rest.length && (!deadline || deadline.timeRemaining() > 3)) $("grid").append(rest.shift()());
    if (rest.length) ticket = requestIdleCallback(fill);
    document.documentElement.dataset.waiting = rest.length;
  }

  function fileGroups() {
    const groups = [];
    for (const file of files) {
      file.keep = new Set(file.inner.filter((row) => row.shown));
      if (!file.keep.size && !file.row.shown) continue;
      for (const row of [...file.keep]) for (const other of file.inner)
        if (row.symbol.startsWith(other.symbol + ".")) file.keep.add(other);
      groups.push(() => fileGroup(file));
    }
    return groups;
  }

  function fileGroup(file) {
    file.element ??= el('<section class="group" role="rowgroup"></section>');
    const list = [rowElement(file.row, false)];
    if (file.row.opened) list.push(details(file.row));
    if (!file.folded) for (const row of file.inner) if (file.keep.has(row)) {
      list.push(rowElement(row, false));
      if (row.opened) list.push(details(row));
    }
    file.element.replaceChildren(...list);
    mark(file.row);
    return file.element;
  }

  function sortedGroups(columns) {
    const chosen = rows.filter((row) => row.shown);
    const weight = state.sort === "worst"
      ? (row) => Math.max(...columns.map((i) => RANK[row.own[i]])) * 100 + columns.filter((i) => RANK[row.own[i]] >= 4).length
      : (row) => RANK[row.own[Number(state.sort)]];
    const weights = new Map(chosen.map((row) => [row, weight(row)]));
    chosen.sort((a, b) => weights.get(b) - weights.get(a) || a.index - b.index);
    const groups = [];
    for (let at = 0; at < chosen.length; at += 20) groups.push(() => {
      const group = el('<section class="group" role="rowgroup"></section>');
      group.append(...chosen.slice(at, at + 20).flatMap((row) => row.opened ? [rowElement(row, true), details(row)] : [rowElement(row, true)]));
      return group;
    });
    return groups;
  }

  function details(row) {
    const box = el(`<div class="more" role="row"><div role="gridcell"></div></div>`);
    const inner = box.firstElementChild;
    if (row.was) {
      const changes = visible().filter((i) => row.was[i] && row.was[i] !== " ")
        .map((i) => `${targets[i].name}: ${statusOf(row.was[i])[0]} \u2192 ${label(row.cells[i])}`);
      if (changes.length) inner.append(el(`<p class="before">${escaped(changes.join("; "))}</p>`));
    }
    for (const site of row.sites) inner.append(siteElement(row, site));
    if (!row.sites.length && !row.gone) inner.append(el("<p>Its cells sum up the rows below it.</p>"));
    return box;
  }

  function siteElement(row, site) {
    const lines = data.lines[row.pathId] ?? {};
    const code = [];
    for (let n = site.first - 1; n <= site.last + 1; n++) if (n in lines)
      code.push(`<span data-n="${n}"${n >= site.first && n <= site.last ? ' class="here"' : ""}>${escaped(lines[n]) || " "}</span>`);
    const effects = site.effects.map(([status, on, sure, text]) => {
      const columns = on.filter((i) => visible().includes(i));
      if (!columns.length) return "";
      const possible = (status === "X" || status === "R") && !columns.some((i) => sure.includes(i));
      return `<li>${cell(possible ? status.toLowerCase() : status)}<span class="on">${columns.map((i) => escaped(targets[i].name)).join(", ")}</span>` +
        `<span>${escaped(site.rule ? label(possible ? status.toLowerCase() : status) : text)}${possible && !site.rule ? " (more than the hardware decides)" : ""}</span></li>`;
    }).join("");
    const trace = site.trace.map((id) => {
      const [path, line, message] = data.steps[id];
      const source = (data.lines[path] ?? {})[line];
      return `<li class="step">${escaped(data.paths[path])}:${line} \u2014 ${escaped(message)}${source ? `<code>${escaped(source.trim())}</code>` : ""}</li>`;
    }).join("");
    const rule = site.rule ? `<span class="rule">${escaped(site.rule)}</span>` : "";
    return el(`<article class="site"><h3>${rule}<span>${escaped(site.rule ? "finding" : site.what)}</span>` +
      `<span class="place">${escaped(row.path)}:${site.first}</span></h3>` +
      (site.rule ? `<p class="before">${escaped(site.text)}</p>` : "") +
      (code.length ? `<pre>${code.join("")}</pre>` : "") +
      (effects ? `<ul class="effects">${effects}</ul>` : "") + (trace ? `<ol class="trace">${trace}</ol>` : "") + `</article>`);
  }

  /* Moving about */
  const shownRows = () => [...$("grid").querySelectorAll(".row")];
  let current = -1;
  function focusable() {
    const list = shownRows();
    if (!list.length) return;
    const kept = list.find((r) => Number(r.dataset.row) === current) ?? list[0];
    for (const r of list) r.tabIndex = -1;
    kept.tabIndex = 0;
  }
  function go(element) {
    if (!element) return;
    for (const r of $("grid").querySelectorAll('.row[tabindex="0"]')) r.tabIndex = -1;
    current = Number(element.dataset.row);
    element.tabIndex = 0;
    element.focus({ preventScroll: true });
    const bar = document.querySelector(".head").getBoundingClientRect().bottom;
    const box = element.getBoundingClientRect();
    if (box.top < bar) window.scrollBy(0, box.top - bar - 4);
    else if (box.bottom > innerHeight) window.scrollBy(0, box.bottom - innerHeight + 8);
  }
  function toggle(row, to = !row.opened) {
    if (row.opened === to) return;
    const flat = state.sort !== "place";
    if (!flat && row.kind === 0) return fold(row, to);
    row.opened = to;
    const next = row.element.nextElementSibling;
    if (next && next.classList.contains("more")) next.remove();
    if (to) row.element.after(details(row));
    mark(row);
  }
  function fold(row, open) {
    const file = fileOf.get(row);
    file.folded = !open;
    row.opened = open && row.sites.length > 0;
    const had = document.activeElement === row.element;
    fileGroup(file);
    focusable();
    if (had) go(row.element);
  }
  const rowOf = (node) => { const r = node.closest?.(".row"); return r ? rows[Number(r.dataset.row)] : null; };

  $("grid").addEventListener("click", (event) => {
    const sorter = event.target.closest("[data-sort]");
    if (sorter) { setSort(state.sort === sorter.dataset.sort ? "place" : sorter.dataset.sort); return; }
    const row = rowOf(event.target);
    if (!row || String(getSelection())) return;
    current = row.index; focusable();
    if (row.kind === 0 && state.sort === "place") fold(row, fileOf.get(row).folded);
    else toggle(row);
  });
  $("grid").addEventListener("mouseover", (event) => {
    const box = event.target.closest(".row > .c");
    if (!box || box.title) return;
    const row = rowOf(box), i = Number(box.dataset.i);
    const letter = Object.keys(CLASS).find((k) => box.classList.contains(CLASS[k]));
    const why = [...new Set(row.sites.flatMap((s) => s.effects.filter(([status, on]) => status === letter && on.includes(i)).map((e) => e[3])))];
    box.title = `${targets[i].label}\n${box.getAttribute("aria-label").split(": ")[1]}${why.length ? ":\n" + why.slice(0, 5).join("\n") : ""}`;
  });
  $("grid").addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (!row || event.target !== row.element || event.altKey || event.ctrlKey || event.metaKey) return;
    const list = shownRows(), at = list.indexOf(row.element);
    const file = row.kind === 0 && state.sort === "place" ? fileOf.get(row) : null;
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + 15, list.length - 1), PageUp: Math.max(at - 15, 0), Home: 0, j: at + 1, k: at - 1 };
    if (event.key === "End") { fill(); go(shownRows().at(-1)); }
    else if (event.key in steps) go(list[steps[event.key]]);
    else if (event.key === "Enter" || event.key === " ") file ? fold(row, file.folded) : toggle(row);
    else if (event.key === "ArrowRight") file ? file.folded ? fold(row, true) : go(list[at + 1]) : toggle(row, true);
    else if (event.key === "ArrowLeft") {
      if (file) fold(row, false);
      else if (row.opened) toggle(row, false);
      else go(list.slice(0, at).reverse().find((r) => Number(r.getAttribute("aria-level")) <= row.depth));
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if ($("keys").open) return;
      $("columns").open = false;
      if (event.target === $("search")) { $("search").value = ""; state.query = ""; draw(); go($("grid").querySelector('.row[tabindex="0"]')); }
      return;
    }
    if (typing) {
      if (event.key === "ArrowDown" && event.target === $("search")) { go($("grid").querySelector('.row[tabindex="0"]')); event.preventDefault(); }
      return;
    }
    if (event.key === "/") { $("search").focus(); $("search").select(); event.preventDefault(); }
    else if (event.key === "?") $("keys").showModal();
    else if (event.key === "d") { $("differing").checked = state.differing = !state.differing; draw(); }
    else if (event.key === "t") switchTheme();
  });

  /* Controls */
  function setSort(value) {
    state.sort = value;
    const select = $("sort");
    let extra = select.querySelector("option[data-extra]");
    if (value !== "place" && value !== "worst") {
      extra ??= select.appendChild(el('<option data-extra></option>'));
      extra.value = value; extra.textContent = `worst on ${targets[Number(value)].name}`;
    } else extra?.remove();
    select.value = value;
    draw();
  }
  let pending = 0;
  $("search").addEventListener("input", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => { state.query = $("search").value.trim().toLowerCase(); draw(); });
  });
  $("differing").addEventListener("change", () => { state.differing = $("differing").checked; draw(); });
  $("sort").addEventListener("change", () => setSort($("sort").value));
  for (const id of ["first", "second"]) {
    $(id).append(el('<option value="-1">\u2013</option>'), ...ids.map((i) => el(`<option value="${i}">${escaped(targets[i].name)}</option>`)));
    $(id).addEventListener("change", () => { state[id] = Number($(id).value); if (state.sort !== "worst") setSort("place"); else draw(); });
  }
  for (const [letter, [word, , meaning]] of Object.entries(STATUS)) {
    const rowsWith = rows.filter((row) => (row.sites.length || row.gone) && row.plain.includes(letter)).length;
    $("meanings").append(el(`<dt>${cell(letter)}</dt>`), el(`<dd><b>${word}</b>: ${meaning}</dd>`));
    if (letter === ".") continue;
    const chip = el(`<button type="button" class="chip" aria-pressed="false" data-status="${escaped(letter)}" title="${escaped(meaning)}">${cell(letter)}<span>${word}</span><b>${rowsWith.toLocaleString("en")}</b></button>`);
    chip.addEventListener("click", () => {
      const on = !state.statuses.has(letter);
      on ? state.statuses.add(letter) : state.statuses.delete(letter);
      chip.setAttribute("aria-pressed", String(on));
      draw();
    });
    $("chips").append(chip);
  }
  $("meanings").append(el(`<dt>${cell("x")}</dt>`), el("<dd>dashed: more than the hardware decides whether it comes to that (a flag, a size, an unknown)</dd>"));
  for (const i of ids) {
    const box = el(`<label><input type="checkbox" checked> ${escaped(targets[i].name)} <span style="color:var(--quiet)">${escaped(targets[i].generation)}</span></label>`);
    box.firstElementChild.addEventListener("change", (event) => { event.target.checked ? state.hidden.delete(i) : state.hidden.add(i); draw(); });
    $("boxes").append(box);
  }
  let folded = false;
  $("fold").addEventListener("click", () => {
    folded = !folded;
    for (const file of files) file.folded = folded;
    $("fold").textContent = folded ? "unfold files" : "fold files";
    draw();
  });
  $("clear").addEventListener("click", () => {
    state.query = $("search").value = ""; state.statuses.clear(); state.hidden.clear(); state.first = state.second = -1;
    state.differing = $("differing").checked = false;
    $("first").value = $("second").value = "-1";
    for (const chip of $("chips").children) chip.setAttribute("aria-pressed", "false");
    for (const box of $("boxes").querySelectorAll("input")) box.checked = true;
    draw();
  });
  $("help").addEventListener("click", () => $("keys").showModal());
  $("theme").addEventListener("click", switchTheme);
  function switchTheme() { theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); try { localStorage.setItem("hwlint-theme", document.documentElement.dataset.theme); } catch { /* a page from a file may have no storage */ } }
  function theme(name) { document.documentElement.dataset.theme = name; }
  let saving = 0;
  function save() {
    clearTimeout(saving);
    saving = setTimeout(keep, WAIT);
  }
  function keep() {
    const told = new URLSearchParams();
    if (state.query) told.set("q", state.query);
    if (state.statuses.size) told.set("status", [...state.statuses].map((s) => statusOf(s)[0]).join());
    if (!state.differing && !data.compared) told.set("all", "1");
    if (state.first >= 0) told.set("first", targets[state.first].name);
    if (state.second >= 0) told.set("second", targets[state.second].name);
    if (state.sort !== "place") told.set("sort", state.sort === "worst" ? "worst" : targets[Number(state.sort)].name);
    const text = told.toString();
    try { history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search); } catch { /* not allowed here */ }
  }
  function restore() {
    const told = new URLSearchParams(location.hash.slice(1));
    const named = (word) => targets.findIndex((t) => t.name === told.get(word));
    state.query = (told.get("q") ?? "").toLowerCase();
    if (told.has("all")) state.differing = false;
    state.first = named("first"); state.second = named("second");
    for (const word of (told.get("status") ?? "").split(",")) {
      const letter = Object.keys(STATUS).find((k) => STATUS[k][0] === word);
      if (letter) { state.statuses.add(letter); document.querySelector(`[data-status="${letter}"]`)?.setAttribute("aria-pressed", "true"); }
    }
    $("search").value = state.query; $("differing").checked = state.differing;
    $("first").value = state.first; $("second").value = state.second;
    const sort = told.get("sort");
    state.sort = sort === "worst" ? "worst" : named("sort") >= 0 ? String(named("sort")) : "place";
  }

  /* Start */
  $("title").textContent = data.title + (data.compared ? `: ${data.compared}` : "");
  const dependent = new Set(rows.filter((r) => r.sites.length).map((r) => r.pathId)).size;
  $("about").textContent = `What the ${plural(rows.filter((r) => r.sites.length).length, "place")} that depend on the hardware, in ${plural(dependent, "file")} of ${data.files.toLocaleString("en")}, do on ${plural(targets.length, "architecture")}. hwlint ${data.version}` +
    (data.failures.length ? `. ${plural(data.failures.length, "file")} could not be read` : "");
  if (data.compared) document.querySelector(".check").hidden = true;
  let chosen = null;
  try { chosen = localStorage.getItem("hwlint-theme"); } catch { /* a page from a file may have no storage */ }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  theme(chosen ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => { if (!chosen) theme(dark.matches ? "dark" : "light"); });
  addEventListener("beforeprint", () => { fill(); document.documentElement.dataset.was = document.documentElement.dataset.theme; theme("light"); });
  addEventListener("afterprint", () => theme(document.documentElement.dataset.was));
  restore();
  setSort(state.sort);
  const measure = () => document.documentElement.style.setProperty("--bar", `${document.querySelector(".bar").offsetHeight}px`);
  new ResizeObserver(measure).observe(document.querySelector(".bar"));
  measure();
  document.documentElement.dataset.ready = (performance.now() - started).toFixed(1);
})();
