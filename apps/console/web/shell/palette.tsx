import { Combobox, Modal, Text, TextInput, useCombobox, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { type AppRow, appsQuery } from "../api/queries.ts";
import { signOut } from "../api/sign-out.ts";
import { useViewer } from "../api/viewer.ts";
import { appTabs } from "../features/apps/app.tsx";
import { Uninstall } from "../features/apps/app-actions.tsx";
import { frontendsQuery } from "../features/hosting/frontend-queries.ts";
import { RestartAppDocument, SetAppEnabledDocument } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";
import { command } from "../parts/commands.ts";
import { notify, notifyFailure } from "../parts/notices.tsx";
import { PlanDialog, type Planned } from "../parts/plan-dialog.tsx";
import {
  type AdminPage,
  appEntries,
  type Choice,
  type Entry,
  homeEntry,
  matches,
  pageEntries,
  signOutEntry,
  themeEntries,
  traceEntries,
  wordsOf,
} from "./palette-entries.ts";

const typingMs = 150;
/** Of each group. A longer text finds the others. */
const maxShown = 12;
const groups: readonly (readonly [Entry["group"], title: string])[] = [
  ["page", i18n.t("Pages of apps")],
  ["app", i18n.t("Apps")],
  ["administration", i18n.t("Administration")],
  ["action", i18n.t("Actions")],
];

interface PaletteProps {
  readonly pages: readonly AdminPage[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Finds apps, pages and actions by name. The dialogs of actions stay after it has closed. */
export function Palette({ pages, opened, onClose }: PaletteProps) {
  const [planned, setPlanned] = useState<Planned>();
  const [uninstalled, setUninstalled] = useState<AppRow>();
  const [asksUninstall, setAsksUninstall] = useState(false);
  const isPhone = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const { history } = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  const choose = (choice: Choice): void => {
    onClose();
    if (choice.kind === "go") history.push(choice.to);
    else if (choice.kind === "theme") setColorScheme(choice.theme);
    else if (choice.kind === "sign-out") void signOut().catch(notifyFailure(i18n.t("Signing out failed")));
    else if (choice.kind === "uninstall") {
      setUninstalled(choice.app);
      setAsksUninstall(true);
    } else if (choice.kind === "install") setPlanned({ kind: "install", name: choice.app.name });
    else if (choice.kind === "upgrade")
      setPlanned({ kind: "upgrade", name: choice.app.name, version: choice.app.availableVersion ?? "" });
    else void run(choice.kind, choice.app);
  };
  return (
    <>
      <Modal
        opened={opened}
        onClose={onClose}
        title={i18n.t("Apps, pages and actions")}
        closeButtonProps={{ "aria-label": i18n.t("Close the command palette") }}
        fullScreen={isPhone ?? false}
        size="lg"
      >
        <Search pages={pages} onChoose={choose} onClose={onClose} />
      </Modal>
      <PlanDialog planned={planned} onClose={() => setPlanned(undefined)} />
      {uninstalled && <Uninstall app={uninstalled} opened={asksUninstall} onClose={() => setAsksUninstall(false)} />}
    </>
  );
}

/** Runs a command and says how it ended. */
async function run(kind: "enable" | "disable" | "restart", { name, displayName }: AppRow): Promise<void> {
  const sent =
    kind === "restart"
      ? command(RestartAppDocument, { name })
      : command(SetAppEnabledDocument, { name, enabled: kind === "enable" });
  const done = {
    disable: i18n.t("{app} is disabled", { app: displayName }),
    enable: i18n.t("{app} is enabled", { app: displayName }),
    restart: i18n.t("{app} restarts", { app: displayName }),
  };
  await sent.then(() => notify(done[kind]), notifyFailure(i18n.t("The command failed: {app}", { app: displayName })));
}

interface SearchProps {
  readonly pages: readonly AdminPage[];
  readonly onChoose: (choice: Choice) => void;
  readonly onClose: () => void;
}

function Search({ pages, onChoose, onClose }: SearchProps) {
  const [text, setText] = useState("");
  const found = useEntries(text, pages);
  const store = useCombobox({ opened: found.length > 0, onDropdownClose: onClose });
  // The input names the list, which exists after the first rendering.
  const listId = useId();
  const [, setListed] = useState(false);
  useEffect(() => setListed(true), []);
  const ids = found.map(({ id }) => id).join();
  // The first entry is chosen by Enter, whatever was found.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options are other ones when the ids change
  useEffect(() => {
    store.selectFirstOption();
  }, [ids]);
  return (
    <Combobox
      store={store}
      onOptionSubmit={(id) => {
        const entry = found.find((each) => each.id === id);
        if (entry) onChoose(entry.choice);
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          aria-label={i18n.t("Search")}
          placeholder={i18n.t("An app, a page or an action")}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
          mb="sm"
        />
      </Combobox.EventsTarget>
      {found.length === 0 && (
        <Text size="sm" c="dimmed" role="status" ta="center" py="md">
          {i18n.t("Nothing matches. Apps are found by their name, as com.example.app.")}
        </Text>
      )}
      {found.length > 0 && (
        <Combobox.Options id={listId} aria-label={i18n.t("Results")} className="palette">
          {groups.map(([group, title]) => {
            const entries = found.filter((each) => each.group === group);
            if (entries.length === 0) return null;
            return (
              <Combobox.Group key={group} label={title}>
                {entries.map(({ id, title, detail }) => (
                  <Combobox.Option key={id} value={id}>
                    <Text size="sm" className="wrap">
                      {title}
                    </Text>
                    {detail && detail !== title && (
                      <Text size="xs" className="palette-detail wrap">
                        {detail}
                      </Text>
                    )}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            );
          })}
        </Combobox.Options>
      )}
    </Combobox>
  );
}

/** Returns what matches the text. The platform searches apps by one word: the first and the last are tried. */
function useEntries(text: string, pages: readonly AdminPage[]): readonly Entry[] {
  const { permissions } = useViewer();
  const { data: frontends = [] } = useQuery(frontendsQuery);
  const [typed] = useDebouncedValue(text, typingMs);
  const words = wordsOf(typed);
  const first = useApps(words[0]);
  const last = useApps(words.at(-1));
  const apps = [...new Map([...first, ...last].map((app) => [app.id, app])).values()];
  const administration = pages
    .filter(({ permission }) => permissions.includes(permission))
    .map(({ to, title }): Entry => ({ id: to, group: "administration", title, choice: { kind: "go", to } }));
  const all = [
    homeEntry,
    ...pageEntries(frontends),
    ...(words.length > 0 ? appEntries(apps, appTabs, permissions) : []),
    ...administration,
    ...traceEntries(text, permissions),
    ...themeEntries,
    signOutEntry,
  ].filter((entry) => matches(entry, text));
  return groups.flatMap(([group]) => all.filter((entry) => entry.group === group).slice(0, maxShown));
}

function useApps(word: string | undefined): readonly AppRow[] {
  const { permissions } = useViewer();
  const { data } = useQuery({
    ...appsQuery({ search: word }, null),
    enabled: word !== undefined && permissions.includes("app:view"),
    placeholderData: keepPreviousData,
  });
  return data?.edges.map(({ node }) => node) ?? [];
}
