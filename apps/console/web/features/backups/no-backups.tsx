import { Trans } from "@lingui/react";
import { Anchor, Code, Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { Command } from "../../parts/command.tsx";
import { PageLink } from "../../parts/page-link.tsx";

const guide = "/docs/guides/backup-and-restore";

/** Why the platform makes no backups, and what changes that. `problem`: what the platform says of it. */
export function NoBackups({ problem }: { readonly problem: string }) {
  return (
    <Text size="sm" title={problem}>
      <Trans
        id="Backups need a place and a key. Set the options <0>backup.to</0> and <1>backup.passphrase_file</1> (or <2>backup.recipients</2>) of the process <3>appserver up</3> or <4>appserver orchestrate</4>, and start it again. <5>Guide: backup and restore</5>"
        components={{
          0: <Code />,
          1: <Code />,
          2: <Code />,
          3: <Code />,
          4: <Code />,
          5: <Anchor href={guide} size="sm" underline="always" />,
        }}
      />
    </Text>
  );
}

/** How the first backup is made. `canStart`: whether a place and a key are set, without which {@link NoBackups} comes first. */
export function NoBackupYet({ canStart }: { readonly canStart: boolean }) {
  if (!canStart) {
    return <Text c="dimmed">{i18n.t("No backup was made so far. A place and a key come first.")}</Text>;
  }
  return (
    <Text c="dimmed">
      <Trans
        id="No backup was made so far. <0>Back up now</0> makes one, and so does this command on the machine of the platform: <1>appserver backup</1> <2>Guide: backup and restore</2>"
        components={{ 0: <b />, 1: <Command />, 2: <Anchor href={guide} underline="always" /> }}
      />
    </Text>
  );
}

/** Leads from the page of an app to where the first backup is made. */
export function NoBackupOfApp() {
  return (
    <Text c="dimmed">
      <Trans
        id="No backup was made so far. Backups are made on the page <0>Backups</0>."
        components={{ 0: <PageLink to="/console/backups" underline="always" /> }}
      />
    </Text>
  );
}
