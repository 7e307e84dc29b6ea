import { type RefObject, useEffect, useMemo, useState } from "react";

/** Rows above and below the visible ones, so that short movements find rows that exist. */
const margin = 6;

export interface RowWindow {
  readonly first: number;
  /** The last one, included. */
  readonly last: number;
}

/** Returns the rows of a scrolled element that are to be rendered, of rows that have the same height. */
export function useRowWindow(frame: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [visible, setVisible] = useState<RowWindow>({ first: 0, last: 2 * margin });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = (): void => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight);
      setVisible((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [frame, rowHeight]);
  const last = Math.min(count - 1, visible.last + margin);
  const first = Math.max(0, Math.min(visible.first - margin, last));
  // Callers compare it.
  return useMemo(() => ({ first, last }), [first, last]);
}
