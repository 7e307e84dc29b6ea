import { Trans } from "@lingui/react";
import { Alert, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { shownBytes } from "../../parts/bytes.ts";
import { Command } from "../../parts/command.tsx";
import { FactTable, Section } from "../../parts/facts.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { notifyFailure } from "../../parts/notices.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import {
  type Backup,
  type BackupSummary,
  backupSummaryQuery,
  backupsQuery,
  isUnfinished,
  startBackup,
} from "./backup-queries.ts";
import { BackupTable, timeTaken } from "./backup-table.tsx";
import { NoBackups, NoBackupYet } from "./no-backups.tsx";

export function Backups() {
  usePageTitle(i18n.t("Backups"));
  return (
    <Needs permission="backup:manage">
      <BackupsOfPlatform />
    </Needs>
  );
}

/** What an operator has to know first, and the list of backups. */
function BackupsOfPlatform() {
  const { data: summary, error, refetch } = useQuery(backupSummaryQuery);
  const list = useInfiniteQuery(backupsQuery);
  const [requestedId, setRequestedId] = useState<string>();
  if (error && summary === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!summary || !list.data) return list.error ? <Failure error={list.error} /> : <Loading />;
  const rows = list.data.pages.flatMap(({ edges }) => edges.map(({ node }) => node));
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{i18n.t("Backups")}</Title>
        <StartButton rows={rows} problem={summary.problem} onRequested={setRequestedId} />
      </Group>
      <Text c="dimmed">{i18n.t("Encrypted copies of the whole platform, with the data of all apps.")}</Text>
      {summary.problem && (
        <Alert color="orange" variant="outline" title={i18n.t("No backups are made")}>
          <NoBackups problem={summary.problem} />
        </Alert>
      )}
      <Progress rows={rows} requestedId={requestedId} />
      <LastGood summary={summary} />
      <LastTested summary={summary} />
      <Section title={i18n.t("All backups")}>
        {rows.length === 0 ? <NoBackupYet canStart={!summary.problem} /> : <BackupTable rows={rows} />}
        <MoreButton query={list} />
      </Section>
    </Stack>
  );
}

interface StartProps {
  readonly rows: readonly Backup[];
  readonly problem: BackupSummary["problem"];
  readonly onRequested: (id: string) => void;
}

function StartButton({ rows, problem, onRequested }: StartProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    setBusy(true);
    await startBackup().then(onRequested, notifyFailure(i18n.t("No backup was requested")));
    setBusy(false);
  };
  const off = problem
    ? i18n.t("Set a place and a key first")
    : rows.some(isUnfinished)
      ? i18n.t("Another backup has not ended yet")
      : undefined;
  return (
    <BusyButton loading={isBusy} disabled={off !== undefined} title={off} onClick={() => void start()}>
      {i18n.t("Back up now")}
    </BusyButton>
  );
}

/** Follows the backup that is made now, and says how the one of this user has ended. */
function Progress({ rows, requestedId }: { readonly rows: readonly Backup[]; readonly requestedId: string | undefined }) {
  const current = rows.find(({ state }) => state === "RUNNING") ?? rows.find(isUnfinished);
  if (current) {
    const { state, startedAt } = current;
    return (
      <Alert
        variant="outline"
        role="status"
        title={state === "RUNNING" ? i18n.t("A backup is being made") : i18n.t("A backup is requested")}
      >
        {state === "RUNNING" && startedAt ? (
          <Trans id="It began <0/>. The platform serves requests as usual." components={{ 0: <Time at={startedAt} /> }} />
        ) : (
          i18n.t("It begins within 15 seconds.")
        )}
      </Alert>
    );
  }
  const ended = rows.find(({ id }) => id === requestedId);
  if (!ended) return null;
  return ended.state === "COMPLETED" ? (
    <Alert color="green" variant="outline" role="status" title={i18n.t("The backup is complete")}>
      {i18n.t("{shownBytes} in {timeTaken}.", { shownBytes: shownBytes(ended.bytes ?? 0), timeTaken: timeTaken(ended) })}
    </Alert>
  ) : (
    <Alert color="red" variant="outline" role="alert" title={i18n.t("The backup failed")}>
      {ended.error}
    </Alert>
  );
}

function LastGood({ summary: { lastCompleted: last, schedule, target } }: { readonly summary: BackupSummary }) {
  return (
    <Section title={i18n.t("Last good backup")}>
      {!last && <Text mb="xs">{i18n.t("There is none.")}</Text>}
      <FactTable
        facts={[
          [i18n.t("Complete"), last?.finishedAt && <Time at={last.finishedAt} />],
          [i18n.t("Size"), last && shownBytes(last.bytes ?? 0)],
          [i18n.t("Where"), last?.location],
          [i18n.t("Not of one moment"), last?.notOfOneMoment.join(" ")],
          [
            i18n.t("Schedule (UTC)"),
            schedule ? <Code key="schedule">{schedule}</Code> : i18n.t("None: only requested backups are made"),
          ],
          [i18n.t("Place"), target],
        ]}
      />
    </Section>
  );
}

/** Warns if no backup was ever restored on trial. */
function LastTested({ summary: { lastCompleted, lastTested } }: { readonly summary: BackupSummary }) {
  const command = ["appserver restore", lastCompleted?.location ?? "<file>", "--test --data <folder>"].join(" ");
  return (
    <Section title={i18n.t("Last tested restore")}>
      <Stack gap="sm">
        {lastTested?.testedAt ? (
          <FactTable
            facts={[
              [i18n.t("Tested"), <Time key="tested" at={lastTested.testedAt} />],
              [i18n.t("Backup"), lastTested.location],
              [i18n.t("Made"), <Time key="made" at={lastTested.finishedAt ?? lastTested.requestedAt} />],
            ]}
          />
        ) : (
          <Alert color="orange" variant="outline" title={i18n.t("No backup was ever tested")}>
            {i18n.t("Only a restore shows that a backup can be used.")}
          </Alert>
        )}
        {lastCompleted && (
          <Text size="sm">
            {i18n.t(
              "On the machine of the platform, this command restores the last one into a temporary folder and checks it:",
            )}{" "}
            <Command>{command}</Command>
          </Text>
        )}
      </Stack>
    </Section>
  );
}
