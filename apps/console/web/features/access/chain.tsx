import { groupName } from "@appserver/contracts/authorization";
import { Code, Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { Time } from "../../parts/time.tsx";
import type { SourcedTuple } from "./access-queries.ts";
import { useAppNamesOf } from "./grant-names.ts";
import { chainText, grantText, type Names, tupleKey } from "./tuple-text.ts";

/** Why a subject holds a permission: in words, and as the tuples that are stored. */
export function Chain({ via }: { readonly via: readonly SourcedTuple[] }) {
  const names = useAppNamesOf(via);
  return (
    <>
      <Text size="sm">{chainText(via, names)}</Text>
      {via.map((tuple) => (
        <Source key={tupleKey(tuple)} tuple={tuple} names={names} />
      ))}
      <details className="tuples">
        <summary>{i18n.t("Details")}</summary>
        {via.map((tuple) => (
          <Code key={tupleKey(tuple)} block className="wrap">
            {tupleKey(tuple)}
          </Code>
        ))}
      </details>
    </>
  );
}

interface SourceProps {
  readonly tuple: SourcedTuple;
  readonly names: Names;
}

/** Who says so, if no person does. */
function Source({ tuple: { relation, object, source, readAt }, names }: SourceProps) {
  if (!source) return null;
  const what =
    relation === "member"
      ? i18n.t("Group {name}, read from", { name: groupName(object) ?? object })
      : i18n.t("{what}, from", { what: grantText({ relation, object }, names) });
  return (
    <Text size="xs" c="dimmed">
      {what} {source}
      {readAt && (
        <>
          {" "}
          <Time at={readAt} />
        </>
      )}
    </Text>
  );
}
