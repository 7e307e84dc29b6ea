import { Table, Text } from "@mantine/core";
import type { BackupState } from "../../generated/operations.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { duration } from "../../parts/duration.ts";
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
    <Table.ScrollContainer minWidth={720} type="native" role="region" aria-label="Table of backups" tabIndex={0}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Requested</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Took</Table.Th>
            <Table.Th>Size</Table.Th>
            <Table.Th>Tested</Table.Th>
            <Table.Th>Where</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((backup) => (
            <BackupRow key={backup.id} backup={backup} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
      <Table.Td>{testedAt ? <Time at={testedAt} /> : state === "COMPLETED" && "never"}</Table.Td>
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
