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
  const { name, scope, title, titles, id, key, pattern, href } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(titles)) return titles.join(" › ");
  const found = [name, scope, title, id, key, pattern, href].find((each) => typeof each === "string");
  return typeof found === "string" ? found : JSON.stringify(value);
}

const changed = { added: i18n.t("added"), removed: i18n.t("removed"), changed: i18n.t("changed") } as const;
/** What a manifest declares, by its part of `UpgradePlan.differences`. Other parts are shown as they are called there. */
const parts: Readonly<Record<string, string>> = {
  from: i18n.t("From version"),
  to: i18n.t("To version"),
  permissions: i18n.t("Permissions"),
  routes: i18n.t("Routes"),
  navigation: i18n.t("Pages"),
  settings: i18n.t("Settings"),
  translations: i18n.t("Languages"),
  hooks: i18n.t("Hooks"),
  activities: i18n.t("Activities"),
  schedules: i18n.t("Schedules"),
  dependencies: i18n.t("Dependencies"),
  storage: i18n.t("Storage"),
  environment: i18n.t("Environment"),
  resources: i18n.t("Resources"),
};

function changesOf(value: unknown): readonly string[] {
  if (value === null || value === undefined || value === false) return [];
  if (!isChange(value)) return [typeof value === "string" ? value : JSON.stringify(value)];
  return (["added", "removed", "changed"] as const).flatMap((kind) => {
    const names = (value[kind] ?? []).map(nameOf);
    return names.length > 0 ? [`${changed[kind]}: ${names.join(", ")}`] : [];
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
            {parts[part] ?? <Code>{part}</Code>}: {changes.join("; ")}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
