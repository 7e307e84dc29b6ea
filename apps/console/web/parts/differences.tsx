import { Code, List, Title } from "@mantine/core";
import { i18n } from "../i18n.ts";

interface Change {
  readonly added?: readonly unknown[];
  readonly removed?: readonly unknown[];
  readonly changed?: readonly unknown[];
}

function isChange(value: unknown): value is Change {
  return typeof value === "object" && value !== null && ["added", "removed", "changed"].some((key) => key in value);
}

function nameOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { name, scope, title, id, pattern } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const found = [name, scope, title, id, pattern].find((each) => typeof each === "string");
  return typeof found === "string" ? found : JSON.stringify(value);
}

function changesOf(value: unknown): readonly string[] {
  if (value === null || value === undefined || value === false) return [];
  if (!isChange(value)) return [JSON.stringify(value)];
  return (["added", "removed", "changed"] as const).flatMap((kind) => {
    const names = (value[kind] ?? []).map(nameOf);
    return names.length > 0 ? [`${kind}: ${names.join(", ")}`] : [];
  });
}

/** Shows what an upgrade changes in the manifest: one line for each kind of declaration. */
export function Differences({ differences }: { readonly differences: unknown }) {
  const lines = Object.entries((differences ?? {}) as Record<string, unknown>)
    .map(([part, value]) => [part, changesOf(value)] as const)
    .filter(([, changes]) => changes.length > 0);
  if (lines.length === 0) return null;
  return (
    <section aria-label={i18n.t("Changes")}>
      <Title order={3} size="h5" mb="xs">
        {i18n.t("What changes")}
      </Title>
      <List size="sm">
        {lines.map(([part, changes]) => (
          <List.Item key={part} className="wrap">
            <Code>{part}</Code> {changes.join("; ")}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
