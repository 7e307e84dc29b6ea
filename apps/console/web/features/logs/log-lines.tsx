import { Button } from "@mantine/core";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { i18n, locale } from "../../i18n.ts";
import { TraceLink } from "../../parts/trace-link.tsx";
import type { Row } from "./log-buffer.ts";

/** So near to the end counts as there. */
const nearPx = 40;

interface LinesProps {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly search: string;
  /** Whether long lines have several rows. Otherwise they scroll. */
  readonly isWrapped: boolean;
}

/** Shows lines, and stays at the newest one unless the user has scrolled up. */
export function LogLines({ name, rows, search, isWrapped }: LinesProps) {
  const place = useRef<HTMLElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const toEnd = (): void => {
    if (place.current) place.current.scrollTop = place.current.scrollHeight;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls after each change of the rows
  useLayoutEffect(() => {
    if (isAtEnd) toEnd();
  }, [rows, isAtEnd, isWrapped]);
  const scrolled = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = place.current ?? {};
    setAtEnd(scrollHeight - scrollTop - clientHeight < nearPx);
  };
  return (
    <div className="log-frame">
      <section
        ref={place}
        className="log mono"
        data-wraps={isWrapped}
        aria-label={i18n.t("Log of {name}", { name })}
        onScroll={scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
      >
        {rows.map((row) => (
          <Line key={row.id} row={row} search={search} />
        ))}
      </section>
      {!isAtEnd && (
        <Button size="xs" className="log-end" onClick={toEnd}>
          {i18n.t("Newest lines")}
        </Button>
      )}
    </div>
  );
}

const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hour12: false,
});

interface LineProps {
  readonly row: Row;
  readonly search: string;
}

const Line = memo(function Line({ row: { line, text, message, fields, level, requestId }, search }: LineProps) {
  if (!line) return <div className="log-remark">{message}</div>;
  const at = new Date(line.time);
  return (
    <div className="log-line" data-level={level}>
      <time
        dateTime={line.time}
        title={i18n.t("{time}, {container}, generation {generation}", {
          time: exact.format(at),
          container: line.container,
          generation: line.generation,
        })}
      >
        {clock.format(at)}
      </time>
      <span className="log-level">{level ?? (line.stream === "STDERR" ? i18n.t("stderr") : "")}</span>
      <span className="log-text" title={fields === "" ? undefined : text}>
        <Marked text={message} search={search} />
        {fields !== "" && (
          <span className="log-fields">
            {" "}
            <Marked text={fields} search={search} />
          </span>
        )}
      </span>
      {requestId !== undefined && (
        <TraceLink id={requestId} label={i18n.t("Trace of {requestId}", { requestId })}>
          {i18n.t("trace")}
        </TraceLink>
      )}
    </div>
  );
});

function Marked({ text, search }: { readonly text: string; readonly search: string }) {
  if (search === "") return text;
  return partsOf(text, search).map(([id, part, isMatch]) => (isMatch ? <mark key={id}>{part}</mark> : part));
}

/** Splits a text at each match. */
function partsOf(text: string, search: string): readonly (readonly [number, string, boolean])[] {
  const parts: [number, string, boolean][] = [];
  const lower = text.toLowerCase();
  const sought = search.toLowerCase();
  let at = 0;
  for (let found = lower.indexOf(sought); found >= 0; found = lower.indexOf(sought, at)) {
    parts.push([at, text.slice(at, found), false], [found, text.slice(found, found + sought.length), true]);
    at = found + sought.length;
  }
  return [...parts, [text.length, text.slice(at), false]];
}
