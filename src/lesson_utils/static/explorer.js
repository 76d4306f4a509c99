// The front end of every explorer, in a notebook and in the built page alike.
//
// It computes nothing. Python worked out every position in advance (lesson_utils.explore); here we
// look a position up and draw it. State lives in two synced traits, `spec` (what can be shown) and
// `values` (where the sliders stand), so a view can be rebuilt at any time without Python.

const PLOTLY = Symbol.for("lesson_utils.plotly"); // one plotly.js a page, whoever asks first
const PLOTLY_PATIENCE = 60_000; // ms; 4.8 MB over a slow Binder connection

// ── data ──────────────────────────────────────────────────────────────────────────────────────

function bytes(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

// Returns lookup(indices) → { trace: {key: {attribute: value}}, readout: {…}, sentence }.
function unpack(spec) {
  const buffers = spec.blobs.map(bytes);
  const sizes = spec.params.map((p) => p.values.length);
  const readers = spec.data.map((entry) => {
    const { rows, index, table, shape } = entry;
    const numbers = rows === undefined ? null : new Float32Array(buffers[rows]);
    const numbering =
      index && (index.bytes === 1 ? new Uint8Array(buffers[index.blob]) : new Uint16Array(buffers[index.blob]));
    const length = shape.reduce((a, b) => a * b, 1);
    const item = (frame) => {
      if (!table) {
        const row = numbering ? numbering[frame] : frame;
        return numbers.subarray(row * length, (row + 1) * length);
      }
      return Array.from({ length }, (_, i) => table[numbering[frame * length + i]]);
    };
    return (indices) => {
      const frame = entry.axes.reduce((f, axis) => f * sizes[axis] + indices[axis], 0);
      return fold(item(frame), shape);
    };
  });
  return (indices) => {
    const found = { trace: {}, readout: {}, sentence: "" };
    spec.data.forEach(({ target: [kind, name, attribute] }, i) => {
      const value = readers[i](indices);
      if (kind === "trace") (found.trace[name] ??= {})[attribute] = value;
      else if (kind === "readout") found.readout[name] = value;
      else found.sentence = value;
    });
    return found;
  };
}

function fold(flat, shape) {
  if (shape.length === 0) return flat[0];
  if (shape.length === 1) return flat;
  const step = flat.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) => fold(flat.slice(i * step, (i + 1) * step), shape.slice(1)));
}

function format(value, digits) {
  const text =
    typeof digits === "string" ? value.toExponential(Number(digits.slice(1, -1))) : value.toFixed(digits);
  return /^-[0.]+(e|$)/.test(text) ? text.slice(1) : text; // "-0.00" says less than nothing
}

// ── looks ─────────────────────────────────────────────────────────────────────────────────────

// A page says its theme in its own way (this book, JupyterLab, Colab); failing that, its ink does.
function isDark(el) {
  const { theme } = document.documentElement.dataset;
  if (theme === "dark" || theme === "light") return theme === "dark";
  if (document.body.dataset.jpThemeLight) return document.body.dataset.jpThemeLight === "false";
  const [r, g, b] = (getComputedStyle(el.parentElement ?? el).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}

function paint(value, colours) {
  if (typeof value === "string" && value[0] === "$") {
    const [token, opacity] = value.slice(1).split("@");
    const colour = colours[token];
    if (!opacity) return colour;
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return `rgba(${r},${g},${b},${opacity})`;
  }
  if (ArrayBuffer.isView(value)) return value;
  // plotly.js takes an empty text's node away and never puts one back where a text comes later.
  if (Array.isArray(value)) return value.map((v) => (v === "" ? " " : paint(v, colours)));
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, paint(v, colours)]));
  return value;
}

function merge(base, over) {
  const out = { ...base };
  for (const [key, value] of Object.entries(over ?? {})) {
    const deep = value && typeof value === "object" && !Array.isArray(value) && out[key];
    out[key] = deep ? merge(out[key], value) : value;
  }
  return out;
}

function layoutOf(spec, colours) {
  const axis = {
    fixedrange: true, automargin: true, gridcolor: colours.grid, zerolinecolor: colours.muted,
    zerolinewidth: 1, linecolor: colours.muted, tickfont: { color: colours.muted, size: 12 },
    title: { font: { color: colours.ink, size: 13 }, standoff: 8 },
  };
  const own = paint(spec.layout, colours);
  const axes = Object.keys(own).filter((key) => /^[xy]axis\d*$/.test(key));
  return merge(
    {
      height: spec.height, autosize: true, dragmode: false, hovermode: "closest",
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 52, r: 14, t: 14, b: 44 },
      font: { color: colours.ink, size: 13 },
      showlegend: false, // ours is HTML, which wraps on a phone
      hoverlabel: { bgcolor: colours.surface, bordercolor: colours.muted, font: { color: colours.ink } },
      ...Object.fromEntries([...new Set(["xaxis", "yaxis", ...axes])].map((key) => [key, axis])),
    },
    own,
  );
}

// One swatch a named trace: a line, a dot or a square, in the trace's own colour.
function legendOf(traces) {
  return traces
    .filter((t) => t.name && t.showlegend !== false)
    .map((t) => {
      const lines = t.type === "scatter" && (t.mode ?? "lines").includes("lines");
      const dots = t.type === "scatter" && !lines;
      const colour = lines ? t.line?.color : t.marker?.color;
      const swatch = element("span", { class: `explorer-swatch ${lines ? "line" : dots ? "dot" : "square"}` });
      if (typeof colour === "string") swatch.style.setProperty("--swatch", colour);
      if (lines && (t.line?.dash ?? "solid") !== "solid") swatch.classList.add("dashed");
      return element("span", { class: "explorer-key" }, swatch, t.name);
    });
}

// ── plotly ────────────────────────────────────────────────────────────────────────────────────

function plotly(model) {
  globalThis[PLOTLY] ??= (globalThis.Plotly?.react ? Promise.resolve(globalThis.Plotly) : request(model)).catch(
    (error) => {
      delete globalThis[PLOTLY]; // the next explorer may have a kernel that answers
      throw error;
    },
  );
  return globalThis[PLOTLY];
}

function request(model) {
  return new Promise((resolve, reject) => {
    const finish = (act, value) => {
      clearTimeout(timer);
      model.off("msg:custom", answer);
      act(value);
    };
    const answer = (message, buffers) => {
      if (message?.type !== "plotly") return;
      if (message.error) return finish(reject, new Error(message.error));
      if (buffers?.length) evaluate(new TextDecoder().decode(buffers[0]));
      if (globalThis.Plotly?.react) finish(resolve, globalThis.Plotly);
      else finish(reject, new Error("plotly.js arrived but did not start"));
    };
    const timer = setTimeout(
      () => finish(reject, new Error("the kernel did not send plotly.js; run the cell again")),
      PLOTLY_PATIENCE,
    );
    model.on("msg:custom", answer);
    model.send({ type: "plotly" });
  });
}

// RequireJS (notebook 6) would otherwise take the library for itself and leave no global behind.
function evaluate(text) {
  const script = document.createElement("script");
  script.text = `{const define=undefined,module=undefined,exports=undefined;${text}\n}`;
  document.head.append(script);
  script.remove();
}

// ── controls ──────────────────────────────────────────────────────────────────────────────────

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") node.textContent = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// Returns { row, set(index) }; calls changed(index) when the reader moves it.
function control(param, id, changed) {
  const label = element("label", { for: id, text: param.label });
  const last = param.values.length - 1;
  let input, value;
  if (param.kind === "slider") {
    input = element("input", { type: "range", id, name: param.name, min: 0, max: last, step: 1 });
    value = element("span", { class: "explorer-value", "aria-hidden": "true" });
    // Wide enough for the longest value, or the slider would jump as it moves.
    value.style.minWidth = `${Math.max(...param.text.map((t) => t.length)) + 0.5}ch`;
  } else if (param.kind === "menu") {
    const options = param.text.map((text, i) => element("option", { value: i, text }));
    input = element("select", { id, name: param.name }, ...options);
  } else {
    input = element("input", { type: "checkbox", role: "switch", id, name: param.name });
  }
  const read = () => (param.kind === "switch" ? Number(input.checked) : Number(input.value));
  input.addEventListener("input", () => changed(read()));
  const set = (index) => {
    if (param.kind === "switch") input.checked = index === 1;
    else if (Number(input.value) !== index || input.value === "") input.value = index;
    if (!value) return;
    value.textContent = param.text[index];
    input.setAttribute("aria-valuetext", param.text[index]);
    input.style.setProperty("--filled", `${last ? (100 * index) / last : 0}%`);
  };
  const row = element("div", { class: `explorer-control explorer-${param.kind}` }, label, input);
  if (value) row.append(value);
  return { row, input, set };
}

// A button that walks one slider to its end; the reader's own move stops it.
function player(step, atEnd, rewind) {
  const button = element("button", { type: "button", class: "explorer-play" });
  let timer = null;
  const show = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", timer ? "Pause" : "Play: move the slider step by step");
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    show();
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (atEnd()) rewind();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    timer = setInterval(() => (atEnd() || !button.isConnected ? stop() : step()), calm ? 700 : 80);
    show();
  });
  show();
  return { button, stop };
}

// ── the explorer ──────────────────────────────────────────────────────────────────────────────

let count = 0;

function render({ model, el }) {
  const spec = model.get("spec");
  const lookup = unpack(spec);
  const id = `explorer-${spec.name}-${++count}`;
  const cleanups = [];
  const position = () =>
    spec.params.map((p) => Math.max(0, p.values.indexOf(model.get("values")[p.name])));
  let indices = position();

  // Moving a control: tell the model, which tells every view of it, this one included.
  const move = (axis, index) => {
    const param = spec.params[axis];
    model.set("values", { ...model.get("values"), [param.name]: param.values[index] });
    model.save_changes();
  };
  let play = null;
  const controls = spec.params.map((param, axis) =>
    control(param, `${id}-${param.name}`, (index) => {
      play?.stop();
      move(axis, index);
    }),
  );
  const axis = spec.params.findIndex((p) => p.name === spec.play);
  if (axis >= 0) {
    const last = spec.params[axis].values.length - 1;
    play = player(
      () => move(axis, indices[axis] + 1),
      () => indices[axis] >= last,
      () => move(axis, 0),
    );
    controls[axis].row.append(play.button);
    cleanups.push(play.stop);
  }

  const outputs = spec.readouts.map(({ name }, i) =>
    // <output> announces every change by itself; the calm region below speaks instead.
    element("output", { "data-readout": name, id: `${id}-out-${i}`, "aria-live": "off" }),
  );
  const readouts = element(
    "div",
    { class: "explorer-readouts" },
    ...spec.readouts.map(({ name, label }, i) =>
      element("div", { class: "explorer-readout", "data-meaning": name },
        element("label", { for: `${id}-out-${i}`, text: label }), outputs[i]),
    ),
  );
  const chart = element("div", { class: "explorer-chart", role: "img", "aria-label": spec.alt });
  const legend = element("div", { class: "explorer-legend", "aria-hidden": "true" });
  const sentence = element("p", { class: "explorer-sentence" });
  const spoken = element("p", { class: "explorer-spoken", "aria-live": "polite" });
  const cells = [...spec.params, ...spec.readouts].map(() => element("td"));
  const rows = [...spec.params, ...spec.readouts].map(({ label }, i) =>
    element("tr", {}, element("th", { scope: "row", text: label }), cells[i]),
  );
  const table = element(
    "details", { class: "explorer-table" },
    element("summary", { text: "Current values as a table" }),
    element("table", {}, element("tbody", {}, ...rows)),
  );
  const head = element("div", { class: "explorer-head" }, element("div", { class: "explorer-title", text: spec.title }));
  if (model.link) head.append(linkButton(() => model.link(model.get("values"))));
  const body = element(
    "div", { class: "explorer-body" }, head,
    element("div", { class: "explorer-controls" }, ...controls.map((c) => c.row)),
    readouts, legend, chart, sentence, spoken, table,
  );
  chart.style.height = `${spec.height}px`;
  // Notebooks bind arrow keys to moving between cells, and Enter on a button to editing one.
  body.addEventListener("keydown", (event) => event.ctrlKey || event.metaKey || event.stopPropagation());
  el.classList.add("lesson-explorer");
  el.append(body);

  // ── showing a position ──
  let shown = null;
  let speech = null;
  const showWords = () => {
    const texts = {};
    spec.params.forEach((p, i) => {
      controls[i].set(indices[i]);
      cells[i].textContent = texts[p.name] = p.text[indices[i]];
    });
    shown = lookup(indices);
    spec.readouts.forEach(({ name, digits }, i) => {
      const text = (texts[name] = format(shown.readout[name], digits));
      outputs[i].textContent = cells[spec.params.length + i].textContent = text;
    });
    sentence.textContent = shown.sentence.replace(/\{(\w+)\}/g, (all, name) => texts[name] ?? all);
    return texts;
  };
  const speak = () => {
    clearTimeout(speech);
    speech = setTimeout(() => {
      const pairs = spec.readouts.map(({ label }, i) => `${label} ${outputs[i].textContent}`);
      spoken.textContent = sentence.textContent || pairs.join(", ");
    }, 700);
  };
  cleanups.push(() => clearTimeout(speech));

  // ── drawing it ──
  let library = null;
  let waiting = false;
  let again = false;
  let closed = false;
  let look = null;
  const dress = () => {
    const theme = isDark(el) ? "dark" : "light";
    const colours = spec.palette[theme];
    body.dataset.lessonTheme = theme;
    for (const node of readouts.children)
      node.style.setProperty("--meaning", colours[node.dataset.meaning] ?? colours.ink);
    look = { theme, colours, layout: layoutOf(spec, colours), traces: paint(spec.traces, colours) };
    legend.replaceChildren(...legendOf(look.traces));
  };
  const draw = () => {
    if (closed || !library || !chart.isConnected) return;
    for (const trace of look.traces)
      for (const [path, value] of Object.entries(shown.trace[trace.key] ?? {}))
        put(trace, path, paint(value, look.colours));
    // Asked for only here: before, it would make the browser style a page that is still growing.
    look.layout.font.family ??= getComputedStyle(el).fontFamily || "sans-serif";
    look.layout.datarevision = (look.layout.datarevision ?? 0) + 1;
    const width = chart.clientWidth;
    if (width > 0) look.layout.width = width;
    const config = { displayModeBar: false, scrollZoom: false, doubleClick: false, showTips: false };
    Promise.resolve(library.react(chart, look.traces, look.layout, config)).then(() =>
      el.dispatchEvent(new CustomEvent("explorer:drawn", { bubbles: true, detail: { ...model.get("values") } })),
    );
  };
  // The first move in a frame is drawn at once (waiting for the next frame would cost 8 ms on
  // average), and of all that follow in the same frame the last.
  const schedule = () => {
    again = waiting;
    if (waiting) return;
    waiting = true;
    draw();
    requestAnimationFrame(() => {
      waiting = false;
      if (again) schedule();
    });
  };
  const changed = () => {
    indices = position();
    showWords();
    speak();
    schedule();
  };
  model.on("change:values", changed);
  cleanups.push(() => model.off("change:values", changed));

  const redress = () => {
    const before = look?.theme;
    dress();
    if (look.theme !== before) schedule();
  };
  const watch = new MutationObserver(redress);
  for (const node of [document.documentElement, document.body])
    watch.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class", "theme"] });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redress);
  const size = new ResizeObserver(() => chart.clientWidth !== look?.layout.width && schedule());
  size.observe(chart);
  cleanups.push(
    () => watch.disconnect(),
    () => scheme.removeEventListener("change", redress),
    () => size.disconnect(),
  );

  dress();
  showWords();
  const load = (again) =>
    plotly(model).then(
      (found) => {
        library = found;
        redress();
        schedule();
      },
      // Whoever asked first may have been closed before the answer came: ask once ourselves.
      (error) => (again && !closed ? load(false) : closed || fail(error)),
    );
  const fail = (error) => {
    chart.removeAttribute("role");
    chart.textContent = `The chart cannot be drawn (${error.message}). The sliders and numbers still hold.`;
  };
  const begin = () => load(true);
  if (model.whenNear) model.whenNear(el, begin);
  else begin();

  return () => {
    closed = true;
    cleanups.forEach((undo) => undo());
    if (library) library.purge(chart);
    body.remove();
  };
}

function put(trace, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  keys.reduce((node, key) => (node[key] ??= {}), trace)[last] = value;
}

function linkButton(link) {
  const button = element("button", { type: "button", class: "explorer-link", text: "Copy link" });
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => (button.textContent = "Copy link"), 1600);
  };
  button.setAttribute("title", "Copy a link that opens this explorer with these values");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link());
      say("Copied");
    } catch {
      // No clipboard permission: put the link into the address bar, from where it can be copied.
      location.replace(link());
      say("In the address bar");
    }
  });
  return button;
}

export default { render };
