import { Alert, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { BusyButton } from "../../parts/busy-button.tsx";
import { shownBytes } from "../../parts/bytes.ts";
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

export function Backups() {
  usePageTitle("Backups");
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
        <Title order={1}>Backups</Title>
        <StartButton rows={rows} problem={summary.problem} onRequested={setRequestedId} />
      </Group>
      <Text c="dimmed">Encrypted copies of the whole platform, with the data of all apps.</Text>
      {summary.problem && (
        <Alert color="orange" variant="outline" title="No backups are made">
          {summary.problem}
        </Alert>
      )}
      <Progress rows={rows} requestedId={requestedId} />
      <LastGood summary={summary} />
      <LastTested summary={summary} />
      <Section title="All backups">
        {rows.length === 0 ? <Text c="dimmed">No backup was made so far.</Text> : <BackupTable rows={rows} />}
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
    await startBackup().then(onRequested, notifyFailure("No backup was requested"));
    setBusy(false);
  };
  const isOff = Boolean(problem) || rows.some(isUnfinished);
  return (
    <BusyButton loading={isBusy} disabled={isOff} onClick={() => void start()}>
      Back up now
    </BusyButton>
  );
}

/** Follows the backup that is made now, and says how the one of this user has ended. */
function Progress({ rows, requestedId }: { readonly rows: readonly Backup[]; readonly requestedId: string | undefined }) {
  const current = rows.find(({ state }) => state === "RUNNING") ?? rows.find(isUnfinished);
  if (current) {
    const { state, startedAt } = current;
    return (
      <Alert variant="outline" role="status" title={state === "RUNNING" ? "A backup is being made" : "A backup is requested"}>
        {state === "RUNNING" && startedAt ? (
          <>
            It began <Time at={startedAt} />. The platform serves requests as usual.
          </>
        ) : (
          "It begins within 15 seconds."
        )}
      </Alert>
    );
  }
  const ended = rows.find(({ id }) => id === requestedId);
  if (!ended) return null;
  return ended.state === "COMPLETED" ? (
    <Alert color="green" variant="outline" role="status" title="The backup is complete">
      {shownBytes(ended.bytes ?? 0)} in {timeTaken(ended)}.
    </Alert>
  ) : (
    <Alert color="red" variant="outline" role="alert" title="The backup failed">
      {ended.error}
    </Alert>
  );
}

function LastGood({ summary: { lastCompleted: last, schedule, target } }: { readonly summary: BackupSummary }) {
  return (
    <Section title="Last good backup">
      {!last && <Text mb="xs">There is none.</Text>}
      <FactTable
        facts={[
          ["Complete", last?.finishedAt && <Time at={last.finishedAt} />],
          ["Size", last && shownBytes(last.bytes ?? 0)],
          ["Where", last?.location],
          ["Not of one moment", last?.notOfOneMoment.join(" ")],
          ["Schedule (UTC)", schedule ? <Code key="schedule">{schedule}</Code> : "None: only requested backups are made"],
          ["Place", target],
        ]}
      />
    </Section>
  );
}

/** Warns if no backup was ever restored on trial. */
function LastTested({ summary: { lastCompleted, lastTested } }: { readonly summary: BackupSummary }) {
  const command = `appserver restore ${lastCompleted?.location ?? "<file>"} --test --data <folder>`;
  return (
    <Section title="Last tested restore">
      <Stack gap="sm">
        {lastTested?.testedAt ? (
          <FactTable
            facts={[
              ["Tested", <Time key="tested" at={lastTested.testedAt} />],
              ["Backup", lastTested.location],
              ["Made", <Time key="made" at={lastTested.finishedAt ?? lastTested.requestedAt} />],
            ]}
          />
        ) : (
          <Alert color="orange" variant="outline" title="No backup was ever tested">
            Only a restore shows that a backup can be used.
          </Alert>
        )}
        <Text size="sm">
          On the machine of the platform, this command restores the last one into a temporary folder and checks it:
        </Text>
        <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {command}
        </Code>
      </Stack>
    </Section>
  );
}
