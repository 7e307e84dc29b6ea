import { Text } from "@mantine/core";
import { memo } from "react";
import { i18n, locale } from "../../i18n.ts";
import { duration } from "../../parts/duration.ts";
import { ItemText } from "./item-text.tsx";
import { type ItemKind, pageMethod, type Segment, type Span, type TraceItem, tookMs } from "./trace-items.ts";

const titles: Readonly<Record<ItemKind, string>> = {
  request: i18n.t("Request"),
  hook: i18n.t("Hook"),
  delivery: i18n.t("Delivery"),
  run: i18n.t("Run"),
  event: i18n.t("Event"),
  audit: i18n.t("Audit"),
  log: i18n.t("Log"),
};

const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });

/** Everything in a trace, one below the other in the order of time, with bars for what took time. */
export function Timeline({ items, span }: { readonly items: readonly TraceItem[]; readonly span: Span }) {
  return (
    <div className="timeline">
      <div className="timeline-scale" aria-hidden>
        <span>{i18n.t("0 ms")}</span>
        <span>{duration((span.to - span.from) / 2)}</span>
        <span>{duration(span.to - span.from)}</span>
      </div>
      <ol className="timeline-rows" aria-label={i18n.t("Timeline")}>
        {items.map((item) => (
          <Row key={item.key} item={item} from={span.from} to={span.to} />
        ))}
      </ol>
    </div>
  );
}

interface RowProps extends Span {
  readonly item: TraceItem;
}

const Row = memo(function Row({ item, from, to }: RowProps) {
  const took = tookMs(item);
  return (
    <li className="timeline-row" data-kind={item.kind}>
      <time className="timeline-at" dateTime={new Date(item.at).toISOString()} title={exact.format(item.at)}>
        +{duration(item.at - from)}
      </time>
      <Text component="span" size="sm" c="dimmed" className="timeline-kind">
        {item.kind === "request" && item.of.method === pageMethod ? i18n.t("Page") : titles[item.kind]}
      </Text>
      <div className="timeline-text wrap">
        <ItemText item={item} />
      </div>
      <div className="timeline-bars">
        <Bars item={item} from={from} to={to} />
        <Text size="xs" c="dimmed" className="timeline-took">
          {took === undefined ? "" : duration(took)}
        </Text>
      </div>
    </li>
  );
});

/** The text of the row says the same. */
function Bars({ item: { at, segments }, from, to }: RowProps) {
  const part = (time: number): number => ((time - from) / (to - from)) * 100;
  return (
    <div className="timeline-track" aria-hidden>
      {segments.map((segment: Segment) => (
        <span
          key={`${segment.from} ${segment.tone}`}
          className="timeline-bar"
          data-tone={segment.tone}
          style={{ left: `${part(segment.from)}%`, width: `${part(segment.to) - part(segment.from)}%` }}
        />
      ))}
      {segments.length === 0 && <span className="timeline-point" style={{ left: `${part(at)}%` }} />}
    </div>
  );
}
