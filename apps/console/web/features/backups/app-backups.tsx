import { Trans } from "@lingui/react";
import { Stack, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Snapshot, snapshotsQuery } from "../../api/snapshots.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { Command } from "../../parts/command.tsx";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { words } from "../../parts/words.ts";
import { backupsQuery } from "./backup-queries.ts";
import { BackupTable } from "./backup-table.tsx";
import { NoBackupOfApp } from "./no-backups.tsx";

const route = getRouteApi("/shell/console/apps/$name/backups");

/** The snapshots of an app's data, and the backups of the platform, which have its data, too. */
export function AppBackups() {
  const { name } = route.useParams();
  const { permissions } = useViewer();
  return (
    <Stack>
      <Section title={i18n.t("Snapshots of the app")}>
        <Snapshots name={name} />
      </Section>
      {permissions.includes("backup:manage") && <BackupsWithApp />}
    </Stack>
  );
}

function Snapshots({ name }: { readonly name: string }) {
  const { data, error, refetch } = useQuery(snapshotsQuery(name));
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) {
    return (
      <Text c="dimmed">
        <Trans
          id="There are no snapshots yet. A snapshot is a copy of the data of this app alone. To take one: <0>appctl backup {name}</0>"
          values={{ name }}
          components={{ 0: <Command /> }}
        />
      </Text>
    );
  }
  return (
    <ListTable
      minWidth={720}
      label={i18n.t("Table of snapshots")}
      columns={[i18n.t("Taken"), i18n.t("State"), i18n.t("Reason"), i18n.t("Version"), i18n.t("Size"), i18n.t("By")]}
    >
      {data.map((snapshot) => (
        <SnapshotRow key={snapshot.id} snapshot={snapshot} />
      ))}
    </ListTable>
  );
}

const tones: Readonly<Record<Snapshot["state"], Tone>> = {
  PENDING: "neutral",
  RUNNING: "active",
  COMPLETED: "good",
  FAILED: "bad",
};

function SnapshotRow({ snapshot }: { readonly snapshot: Snapshot }) {
  const { createdAt, state, reason, label, appVersion, actor, error, databaseBytes, storage } = snapshot;
  const bytes = storage.reduce((sum, { usedBytes }) => sum + usedBytes, databaseBytes ?? 0);
  return (
    <Table.Tr>
      <Table.Td>
        <Time at={createdAt} />
      </Table.Td>
      <Table.Td>
        <Status tone={tones[state]}>{state}</Status>
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" className="wrap">
            {error}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="wrap">{label ?? words(reason)}</Table.Td>
      <Table.Td>{appVersion}</Table.Td>
      <Table.Td>{bytes > 0 ? shownBytes(bytes) : ""}</Table.Td>
      <Table.Td>{actor ? <Who id={actor} /> : i18n.t("Platform")}</Table.Td>
    </Table.Tr>
  );
}

function BackupsWithApp() {
  const list = useInfiniteQuery(backupsQuery);
  const rows = list.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node));
  return (
    <Section title={i18n.t("Backups of the platform")}>
      {list.error && !rows && <Failure error={list.error} retry={() => void list.refetch()} />}
      {rows?.length === 0 && <NoBackupOfApp />}
      {rows && rows.length > 0 && <BackupTable rows={rows} />}
      <MoreButton query={list} />
    </Section>
  );
}
