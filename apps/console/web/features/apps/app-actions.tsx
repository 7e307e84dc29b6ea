import { ActionIcon, Button, Checkbox, Group, Menu, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import type { AppDetails, AppRow } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { RestartAppDocument, SetAppEnabledDocument, UninstallAppDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { command } from "../../parts/commands.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { MoreIcon } from "../../parts/icons.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { PlanDialog, type Planned } from "../../parts/plan-dialog.tsx";

/** Whether an installation can begin (docs/interface/states.md#app-states). */
export function canInstall({ state }: Pick<AppRow, "state">): boolean {
  return state === "REGISTERED" || state === "UNINSTALLED" || state === "FAILED";
}

export function isInstalled({ state }: Pick<AppRow, "state">): boolean {
  return state === "INSTALLED" || state === "RUNNING" || state === "UNHEALTHY";
}

/** Whether a restart can begin (docs/interface/states.md#restart). */
function canRestart(app: Pick<AppDetails, "state" | "enabled" | "installedAt">): boolean {
  return app.enabled && (isInstalled(app) || (app.state === "FAILED" && app.installedAt != null));
}

/** The commands on an app that its state and the permissions of the viewer allow. */
export function AppActions({ app }: { readonly app: AppDetails }) {
  const { permissions } = useViewer();
  const [planned, setPlanned] = useState<Planned>();
  const [asksUninstall, setAsksUninstall] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { name, displayName: title, availableVersion: version, enabled } = app;
  const mayInstall = permissions.includes("app:install");
  const mayUninstall = permissions.includes("app:uninstall");
  const run = async (done: string, failed: string, work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await work().then(() => notify(done), notifyFailure(failed));
    setBusy(false);
  };
  const commands: Command[] = [];
  if (mayInstall && isInstalled(app))
    commands.push({
      id: "enabled",
      title: enabled ? i18n.t("Disable") : i18n.t("Enable"),
      run: () =>
        void run(
          enabled ? i18n.t("{app} is disabled", { app: title }) : i18n.t("{app} is enabled", { app: title }),
          enabled ? i18n.t("{app} stays enabled", { app: title }) : i18n.t("{app} stays disabled", { app: title }),
          () => command(SetAppEnabledDocument, { name, enabled: !enabled }),
        ),
    });
  if (mayInstall && canRestart(app))
    commands.push({
      id: "restart",
      title: i18n.t("Restart"),
      run: () =>
        void run(
          i18n.t("{displayName} restarts", { displayName: title }),
          i18n.t("{displayName} was not restarted", { displayName: title }),
          () => command(RestartAppDocument, { name }),
        ),
    });
  if (mayUninstall && (isInstalled(app) || app.state === "FAILED"))
    commands.push({ id: "uninstall", title: i18n.t("Uninstall"), run: () => setAsksUninstall(true) });
  return (
    <Group gap="xs">
      {mayInstall && canInstall(app) && (
        <Button onClick={() => setPlanned({ kind: "install", name })}>{i18n.t("Install")}</Button>
      )}
      {mayInstall && isInstalled(app) && version && (
        <Button onClick={() => setPlanned({ kind: "upgrade", name, version })}>
          {i18n.t("Upgrade to {version}", { version })}
        </Button>
      )}
      <Commands commands={commands} isBusy={isBusy} />
      <PlanDialog planned={planned} onClose={() => setPlanned(undefined)} />
      <Uninstall app={app} opened={asksUninstall} onClose={() => setAsksUninstall(false)} />
    </Group>
  );
}

interface Command {
  /** The same for Disable and Enable: the one takes the place of the other, and keeps the focus. */
  readonly id: "enabled" | "restart" | "uninstall";
  readonly title: string;
  readonly run: () => void;
}

interface CommandsProps {
  readonly commands: readonly Command[];
  /** While one of them runs. */
  readonly isBusy: boolean;
}

/** The commands besides the main one: each a button, on a phone all in a menu. */
function Commands({ commands, isBusy }: CommandsProps) {
  const isPhone = useMediaQuery("(max-width: 36em)", false, { getInitialValueInEffect: false });
  if (!isPhone)
    return commands.map(({ id, title, run }) => (
      <BusyButton key={id} variant="default" loading={isBusy} onClick={run}>
        {title}
      </BusyButton>
    ));
  if (commands.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-busy={isBusy || undefined} aria-label={i18n.t("More commands")}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {commands.map(({ id, title, run }) => (
          <Menu.Item key={id} disabled={isBusy} onClick={run}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface UninstallProps {
  readonly app: Pick<AppRow, "name" | "displayName">;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function Uninstall({ app, opened, onClose }: UninstallProps) {
  const [purgeData, setPurgeData] = useState(false);
  const cancel = (): void => {
    setPurgeData(false);
    onClose();
  };
  return (
    <Confirm
      opened={opened}
      title={i18n.t("Uninstall {displayName}?", { displayName: app.displayName })}
      action={purgeData ? i18n.t("Uninstall and delete the data") : i18n.t("Uninstall")}
      onCancel={cancel}
      onConfirm={async () => {
        await command(UninstallAppDocument, { name: app.name, purgeData });
        notify(i18n.t("{displayName} is uninstalled", { displayName: app.displayName }));
      }}
    >
      <Stack>
        <Text>
          {i18n.t("Its container is removed, and requests to it are refused. It stays registered and can be installed again.")}
        </Text>
        <Checkbox
          checked={purgeData}
          onChange={(event) => setPurgeData(event.currentTarget.checked)}
          label={i18n.t("Also delete its data")}
          description={i18n.t("Its settings, database and storage. This cannot be undone.")}
        />
      </Stack>
    </Confirm>
  );
}
