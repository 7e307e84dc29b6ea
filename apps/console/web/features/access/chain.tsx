import { Code, Text } from "@mantine/core";
import type { Tuple } from "./access-queries.ts";
import { chainText, tupleKey } from "./tuple-text.ts";

/** Why a subject holds a permission: in words, and as the tuples that are stored. */
export function Chain({ via }: { readonly via: readonly Tuple[] }) {
  return (
    <>
      <Text size="sm">{chainText(via)}</Text>
      <details className="tuples">
        <summary>{via.length === 1 ? "1 tuple" : `${via.length} tuples`}</summary>
        {via.map((tuple) => (
          <Code key={tupleKey(tuple)} block className="wrap">
            {tupleKey(tuple)}
          </Code>
        ))}
      </details>
    </>
  );
}
