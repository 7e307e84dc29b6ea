import { Table, Text } from "@mantine/core";
import type { BackupState } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { duration } from "../../parts/duration.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { Status, type Tone } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import type { Backup } from "./backup-queries.ts";

const tones: Readonly<Record<BackupState, Tone>> = {
  REQUESTED: "neutral",
  RUNNING: "active",
  COMPLETED: "good",
  FAILED: "bad",
};

export function BackupTable({ rows }: { readonly rows: readonly Backup[] }) {
  return (
    <ListTable
      minWidth={720}
      label={i18n.t("Table of backups")}
      columns={[i18n.t("Requested"), i18n.t("State"), i18n.t("Took"), i18n.t("Size"), i18n.t("Tested"), i18n.t("Where")]}
    >
      {rows.map((backup) => (
        <BackupRow key={backup.id} backup={backup} />
      ))}
    </ListTable>
  );
}

function BackupRow({ backup }: { readonly backup: Backup }) {
  const { state, requestedAt, bytes, testedAt, location, error, notOfOneMoment } = backup;
  return (
    <Table.Tr>
      <Table.Td>
        <Time at={requestedAt} />
      </Table.Td>
      <Table.Td>
        <Status tone={tones[state]}>{state}</Status>
      </Table.Td>
      <Table.Td>{timeTaken(backup)}</Table.Td>
      <Table.Td>{bytes ? shownBytes(bytes) : ""}</Table.Td>
      <Table.Td>{testedAt ? <Time at={testedAt} /> : state === "COMPLETED" && i18n.t("never")}</Table.Td>
      <Table.Td className="wrap">
        {location}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" className="wrap">
            {error}
          </Text>
        )}
        {notOfOneMoment.map((sentence) => (
          <Text key={sentence} size="sm" c="dimmed">
            {sentence}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}

/** Returns how long the backup took. Empty until it has ended. */
export function timeTaken({ startedAt, finishedAt }: Backup): string {
  return startedAt && finishedAt ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : "";
}
