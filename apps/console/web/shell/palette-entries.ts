import type { AppRow } from "../api/queries.ts";
import { canInstall, isInstalled } from "../features/apps/app-actions.tsx";
import { type Frontend, hasParameters, type NavigationEntry } from "../features/hosting/frontend-queries.ts";
import { i18n } from "../i18n.ts";

/** What an entry of the palette does. */
export type Choice =
  | { readonly kind: "go"; readonly to: string }
  | { readonly kind: "theme"; readonly theme: "light" | "dark" | "auto" }
  | { readonly kind: "sign-out" }
  | { readonly kind: AppCommand; readonly app: AppRow };

export type AppCommand = "install" | "upgrade" | "enable" | "disable" | "restart" | "uninstall";

export interface Entry {
  readonly id: string;
  readonly group: "page" | "app" | "administration" | "action";
  readonly title: string;
  readonly detail?: string | undefined;
  readonly choice: Choice;
}

/** Of apps that match, those whose pages and commands are offered. */
const maxApps = 8;

/** Returns whether an entry has every word of the text. */
export function matches({ group, title, detail = "" }: Entry, text: string): boolean {
  const whole = `${group} ${title} ${detail}`.toLowerCase();
  return wordsOf(text).every((word) => whole.includes(word));
}

export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the pages of the apps, on all levels. */
export function pageEntries(frontends: readonly Frontend[]): readonly Entry[] {
  const below = (name: string, displayName: string, entry: NavigationEntry, parents: string): readonly Entry[] => {
    const title = parents ? `${parents} › ${entry.title}` : entry.title;
    const children = (entry.children ?? []).flatMap((child) => below(name, displayName, child, title));
    if (hasParameters(entry.href)) return children;
    const choice: Choice = { kind: "go", to: entry.href };
    return [{ id: `page ${name} ${entry.href}`, group: "page", title, detail: displayName, choice }, ...children];
  };
  return frontends.flatMap(({ name, displayName, navigation }) =>
    navigation.flatMap((entry) => below(name, displayName, entry, "")),
  );
}

/** A page of the administration, with the permission without which it would be empty. */
export interface AdminPage {
  readonly to: string;
  readonly title: string;
  readonly permission: string;
}

interface Tab {
  readonly title: string;
  readonly to: string;
  readonly permission: string;
}

/** Returns the pages and the commands of apps that the viewer may see and run. */
export function appEntries(apps: readonly AppRow[], tabs: readonly Tab[], permissions: readonly string[]): readonly Entry[] {
  return apps.slice(0, maxApps).flatMap((app) => {
    const { name, displayName } = app;
    const pages = tabs
      .filter(({ permission }) => permissions.includes(permission))
      .map(({ title, to }, index): Entry => {
        const path = to.replace("$name", name);
        const full = index === 0 ? displayName : `${displayName} › ${title}`;
        return { id: `app ${path}`, group: "app", title: full, detail: name, choice: { kind: "go", to: path } };
      });
    const commands = commandsOf(app, permissions).map(
      ([kind, title]): Entry => ({
        id: `${kind} ${name}`,
        group: "action",
        title: title(displayName),
        detail: name,
        choice: { kind, app },
      }),
    );
    return [...pages, ...commands];
  });
}

/** Returns the commands that the state of an app and the permissions of the viewer allow. */
function commandsOf(app: AppRow, permissions: readonly string[]): readonly (readonly [AppCommand, (app: string) => string])[] {
  const mayInstall = permissions.includes("app:install");
  const runs = isInstalled(app);
  const commands: (readonly [AppCommand, (app: string) => string])[] = [];
  if (mayInstall && canInstall(app)) commands.push(["install", (name) => i18n.t("Install {name}", { name })]);
  if (mayInstall && runs && app.availableVersion)
    commands.push(["upgrade", (name) => i18n.t("Upgrade {name} to {version}", { name, version: app.availableVersion })]);
  if (mayInstall && runs)
    commands.push(
      app.enabled
        ? ["disable", (name) => i18n.t("Disable {name}", { name })]
        : ["enable", (name) => i18n.t("Enable {name}", { name })],
    );
  if (mayInstall && runs && app.enabled) commands.push(["restart", (name) => i18n.t("Restart {name}", { name })]);
  if (permissions.includes("app:uninstall") && (runs || app.state === "FAILED"))
    commands.push(["uninstall", (name) => i18n.t("Uninstall {name}", { name })]);
  return commands;
}

const themeTitles = {
  light: i18n.t("Theme: light"),
  dark: i18n.t("Theme: dark"),
  auto: i18n.t("Theme: system"),
};

export const themeEntries: readonly Entry[] = (["light", "dark", "auto"] as const).map((theme) => ({
  id: `theme ${theme}`,
  group: "action",
  title: themeTitles[theme],
  choice: { kind: "theme", theme },
}));

export const homeEntry: Entry = {
  id: "home",
  group: "page",
  title: i18n.t("Home"),
  detail: i18n.t("Your apps"),
  choice: { kind: "go", to: "/" },
};

export const signOutEntry: Entry = { id: "sign out", group: "action", title: i18n.t("Sign out"), choice: { kind: "sign-out" } };

/** A request id of the platform, a trace id or a traceparent; of other programs, a word of some length that has a digit. */
const traceable = /^(?=.*\d)[A-Za-z0-9._-]{16,64}$/;

/** Returns the entry that shows the trace of an id, if the text may be one. */
export function traceEntries(text: string, permissions: readonly string[]): readonly Entry[] {
  const id = text.trim();
  if (!permissions.includes("trace:view") || !traceable.test(id)) return [];
  const choice: Choice = { kind: "go", to: `/console/trace/${id}` };
  return [{ id: `trace ${id}`, group: "action", title: i18n.t("Show trace"), detail: id, choice }];
}
