import { Badge } from "@mantine/core";

const colors: Readonly<Record<string, string>> = { success: "green", denied: "orange", failure: "red" };

/** How an audited action ended. */
export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  return (
    <Badge variant="dot" color={colors[outcome] ?? "gray.5"} style={{ flexShrink: 0 }}>
      {outcome}
    </Badge>
  );
}
