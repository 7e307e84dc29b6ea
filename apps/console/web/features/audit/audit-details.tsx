import { Spoiler, Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { TraceLink } from "../../parts/trace-link.tsx";
import { detailsOf } from "./detail-text.ts";

/** Three lines. */
const shownHeight = 60;

interface DetailsProps {
  readonly details: unknown;
  readonly traceId: string | null | undefined;
}

/** What an entry of the audit log says besides who did what to which object. */
export function AuditDetails({ details, traceId }: DetailsProps) {
  return (
    <Spoiler maxHeight={shownHeight} showLabel={i18n.t("Show all")} hideLabel={i18n.t("Show less")} fz="sm">
      {detailsOf(details).map(({ name, text, full }) => (
        <Text key={name} size="sm" lh="20px" className="wrap" title={full}>
          <Text span inherit c="dimmed">
            {name}:{" "}
          </Text>
          {text}
        </Text>
      ))}
      {traceId && (
        <Text size="sm" lh="20px" className="wrap">
          <TraceLink id={traceId} label={i18n.t("Trace {id}", { id: traceId })}>
            {i18n.t("trace")}
          </TraceLink>
        </Text>
      )}
    </Spoiler>
  );
}
