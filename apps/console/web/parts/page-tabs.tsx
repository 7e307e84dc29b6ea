import { Tabs } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

interface Tab<Value extends string> {
  readonly value: Value;
  readonly title: string;
}

interface PageTabsProps<Value extends string> {
  /** Names the row for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  /** The current tab. */
  readonly value: Value;
  readonly onOpen: (value: Value) => void;
  /** The page of the current tab. */
  readonly children: ReactNode;
}

/**
 * A row of tabs, each of which is a page. On a phone the row scrolls: the current tab is scrolled into sight, and the row fades at an edge
 * behind which there are more (console.css).
 */
export function PageTabs<Value extends string>({ label, tabs, value, onOpen, children }: PageTabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one, or the row has other tabs
  useEffect(() => {
    if (list.current) showCurrent(list.current);
  }, [value, tabs.length]);
  useEffect(() => {
    const row = list.current;
    if (!row) return;
    const mark = (): void => markEdges(row);
    const observer = new ResizeObserver(mark);
    observer.observe(row);
    row.addEventListener("scroll", mark, { passive: true });
    return () => {
      observer.disconnect();
      row.removeEventListener("scroll", mark);
    };
  }, []);
  const open = (chosen: string | null): void => {
    const tab = tabs.find((each) => each.value === chosen);
    if (tab) onOpen(tab.value);
  };
  return (
    <Tabs value={value} onChange={open} keepMounted={false}>
      <Tabs.List ref={list} className="page-tabs" aria-label={label} mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value}>{children}</Tabs.Panel>
    </Tabs>
  );
}

/** Scrolls the row, and not the page, until the current tab is in its middle. */
function showCurrent(row: HTMLElement): void {
  const tab = row.querySelector("[aria-selected=true]");
  if (!tab) return;
  const [inRow, inTab] = [row.getBoundingClientRect(), tab.getBoundingClientRect()];
  row.scrollLeft += inTab.left - inRow.left - (inRow.width - inTab.width) / 2;
}

/** Marks the edges behind which there are tabs. */
function markEdges(row: HTMLElement): void {
  const after = row.scrollWidth - row.clientWidth - row.scrollLeft;
  row.toggleAttribute("data-more-before", row.scrollLeft > 1);
  row.toggleAttribute("data-more-after", after > 1);
}
