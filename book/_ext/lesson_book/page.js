// In the built page: hand each explorer a model made from the JSON beside it, and let it render.
// (Joined to explorer.js at build time, so `render` is in scope.)

const base = document.currentScript.src.replace(/[^/]*$/, "");

// What a Jupyter widget model does, as far as explorer.js needs it, without a kernel.
function staticModel(spec) {
  const state = { spec, values: { ...spec.initial } };
  const listeners = {};
  const emit = (event, ...details) => [...(listeners[event] ?? [])].forEach((listen) => listen(...details));
  return {
    get: (key) => state[key],
    set(key, value) {
      state[key] = value;
      emit(`change:${key}`, value);
    },
    save_changes() {},
    on: (event, listen) => (listeners[event] ??= new Set()).add(listen),
    off: (event, listen) => listeners[event]?.delete(listen),
    send(message) {
      if (message.type !== "plotly") return;
      const script = document.createElement("script");
      script.src = `${base}plotly.min.js`;
      script.onload = () => emit("msg:custom", { type: "plotly" });
      script.onerror = () => emit("msg:custom", { type: "plotly", error: "plotly.min.js is not beside the page" });
      document.head.append(script);
    },
    // The chart waits until the reader comes near: plotly.js is most of a page's weight.
    whenNear(el, begin) {
      const watch = new IntersectionObserver(
        (entries) => entries.some((e) => e.isIntersecting) && (watch.disconnect(), begin()),
        { rootMargin: "600px" },
      );
      watch.observe(el);
      addEventListener("beforeprint", () => (watch.disconnect(), begin()), { once: true });
    },
    link(values) {
      const query = new URLSearchParams(Object.entries(values).map(([k, v]) => [k, String(v)]));
      return `${location.href.split("#")[0]}#${spec.name}?${query}`;
    },
  };
}

// What a script (or a curious reader's console) can hold on to: figure.explorer.values, .observe.
function handle(model) {
  const { params } = model.get("spec");
  return {
    get values() {
      return { ...model.get("values") };
    },
    set values(some) {
      const merged = { ...model.get("values") };
      for (const [name, value] of Object.entries(some)) {
        const param = params.find((p) => p.name === name);
        if (!param) throw new RangeError(`no parameter ${name}; there are ${params.map((p) => p.name).join(", ")}`);
        merged[name] = nearest(param, value);
      }
      model.set("values", merged);
    },
    observe(listen) {
      const hear = () => listen(this.values);
      model.on("change:values", hear);
      return () => model.off("change:values", hear);
    },
  };
}

// The slider position closest to what a link or a script asks for.
function nearest(param, value) {
  if (param.kind === "menu") return param.values.includes(value) ? value : param.values[0];
  if (param.kind === "switch") return value === true || value === "true";
  const wanted = Number(value);
  if (Number.isNaN(wanted)) return param.values[0];
  return param.values.reduce((best, v) => (Math.abs(v - wanted) < Math.abs(best - wanted) ? v : best));
}

// "#score-drift?start=4000&gap=2" opens that explorer with those values.
function followLink() {
  const [name, query] = decodeURIComponent(location.hash.slice(1)).split("?");
  const figure = name && document.querySelector(`figure[data-explorer="${CSS.escape(name)}"]`);
  if (!figure?.explorer || (query === undefined && document.getElementById(name))) return;
  const known = Object.keys(figure.explorer.values);
  const asked = [...new URLSearchParams(query ?? "")].filter(([key]) => known.includes(key));
  figure.explorer.values = Object.fromEntries(asked);
  figure.scrollIntoView({ block: "center" });
}

// On paper the values stand in a table where there is no chart yet.
function openTables() {
  for (const table of document.querySelectorAll(".explorer-table:not([open])")) {
    if (table.closest("figure").querySelector(".main-svg")) continue;
    table.open = true;
    addEventListener("afterprint", () => (table.open = false), { once: true });
  }
}

function start() {
  for (const figure of document.querySelectorAll("figure[data-explorer]")) {
    const model = staticModel(JSON.parse(figure.querySelector("script.explorer-spec").textContent));
    figure.explorer = handle(model);
    render({ model, el: figure });
  }
  followLink();
  addEventListener("hashchange", followLink);
  addEventListener("beforeprint", openTables);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
