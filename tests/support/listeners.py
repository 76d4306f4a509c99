"""Count what an explorer leaves running in a page: listeners, observers and timers.

``page.add_init_script(COUNT)`` before the page loads; ``living(page)`` any time after. Only what
was started by a module from a ``blob:`` address counts, which is how anywidget loads explorer.js;
a listener on an element of the explorer itself goes with the element and does not count.
"""

from __future__ import annotations

from typing import Any

__all__ = ["COUNT", "living"]

COUNT = """(() => {
  Error.stackTraceLimit = 100;
  const ours = () => new Error().stack.includes("blob:");
  const listeners = [], observers = new Set(), timers = new Set();
  const outer = (t) =>
    t === window || t === document || t === document.documentElement || t === document.body ||
    t instanceof MediaQueryList;
  const target = EventTarget.prototype;
  const { addEventListener: add, removeEventListener: remove } = target;
  target.addEventListener = function (type, listener, options) {
    if (outer(this ?? window) && ours()) listeners.push([this ?? window, type, listener]);
    return add.call(this ?? window, type, listener, options);
  };
  target.removeEventListener = function (type, listener, options) {
    const where = this ?? window;
    const at = listeners.findIndex(([t, y, l]) => t === where && y === type && l === listener);
    if (at >= 0) listeners.splice(at, 1);
    return remove.call(this ?? window, type, listener, options);
  };
  for (const name of ["MutationObserver", "ResizeObserver", "IntersectionObserver"]) {
    globalThis[name] = class extends globalThis[name] {
      observe(...what) {
        if (ours()) observers.add(this);
        return super.observe(...what);
      }
      disconnect() {
        observers.delete(this);
        return super.disconnect();
      }
    };
  }
  for (const kind of ["Timeout", "Interval"]) {
    const set = globalThis[`set${kind}`], clear = globalThis[`clear${kind}`];
    globalThis[`set${kind}`] = (act, ...rest) => {
      const mine = ours();
      const id = set((...given) => {
        if (kind === "Timeout") timers.delete(id);
        return typeof act === "function" ? act(...given) : eval(act);
      }, ...rest);
      if (mine) timers.add(id);
      return id;
    };
    globalThis[`clear${kind}`] = (id) => (timers.delete(id), clear(id));
  }
  globalThis.livingExplorers = () => ({
    listeners: listeners.map(([t, type]) => `${t.constructor.name} ${type}`),
    observers: [...observers].map((o) => Object.getPrototypeOf(o.constructor).name),
    timers: timers.size,
  });
})();"""


def living(page: Any) -> dict[str, Any]:
    """What explorers have running now: ``listeners``, ``observers``, how many ``timers``."""
    return page.evaluate("livingExplorers()")
