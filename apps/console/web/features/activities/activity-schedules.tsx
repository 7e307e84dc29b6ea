import { Group, Table, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useViewer } from "../../api/viewer.ts";
import { SetScheduleEnabledDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { AppFilter } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { type Schedule, schedulesQuery } from "./activity-queries.ts";
import { CronText } from "./cron-text.tsx";
import { runScheduleNow } from "./run-commands.ts";

const route = getRouteApi("/shell/console/activities/schedules");

/** The schedules of activities: when each runs next, and the commands to pause, resume and run it. */
export function ActivitySchedules() {
  const { app } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <Filters>
        <AppFilter value={app} onChange={(changed) => void navigate({ search: { app: changed }, replace: true })} />
      </Filters>
      <ScheduleList app={app} isFiltered={app !== undefined} />
    </>
  );
}

interface ListProps {
  readonly app: string | undefined;
  /** Whether another app could be chosen. */
  readonly isFiltered?: boolean;
}

export function ScheduleList({ app, isFiltered = false }: ListProps) {
  const found = useInfiniteQuery({ ...schedulesQuery(app), placeholderData: keepPreviousData });
  const { error, refetch } = found;
  const data = found.data?.pages.flat();
  return (
    <>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Empty title={isFiltered ? i18n.t("No schedule matches") : i18n.t("No schedules yet")}>
          {isFiltered
            ? i18n.t("Change the app.")
            : i18n.t("An app declares schedules in its manifest, or sets them with ScheduleActivity.")}
        </Empty>
      )}
      {data && data.length > 0 && <ScheduleTable schedules={data} />}
      <MoreButton query={found} />
    </>
  );
}

function ScheduleTable({ schedules }: { readonly schedules: readonly Schedule[] }) {
  return (
    <ListTable minWidth={640} columns={[i18n.t("Activity"), i18n.t("Schedule"), i18n.t("Next run"), i18n.t("Actions")]}>
      {schedules.map((schedule) => (
        <ScheduleRow key={schedule.id} schedule={schedule} />
      ))}
    </ListTable>
  );
}

function ScheduleRow({ schedule }: { readonly schedule: Schedule }) {
  const { activity, appName, cron, timezone, enabled, paused, nextRunAt, lastError } = schedule;
  const { permissions } = useViewer();
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Text fw={600}>{activity}</Text>
        <AppLink name={appName} />
      </Table.Td>
      <Table.Td>
        <CronText cron={cron} timezone={timezone} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {nextRunAt && enabled ? (
          <Time at={nextRunAt} />
        ) : (
          <Status tone={paused ? "warning" : "neutral"}>{paused ? i18n.t("paused") : i18n.t("switched off by the app")}</Status>
        )}
        {lastError && (
          <Text size="sm" c="red" style={{ whiteSpace: "normal" }}>
            {lastError}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{permissions.includes("activity:trigger") && <ScheduleActions schedule={schedule} />}</Table.Td>
    </Table.Tr>
  );
}

function ScheduleActions({ schedule: { id, activity, appName, enabled, paused } }: { readonly schedule: Schedule }) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState<"switch" | "run">();
  const setEnabled = async (next: boolean): Promise<void> => {
    setBusy("switch");
    await send(SetScheduleEnabledDocument, { id, enabled: next }).then(
      () =>
        notify(
          next
            ? i18n.t("The schedule of {activity} is resumed", { activity })
            : i18n.t("The schedule of {activity} is paused", { activity }),
        ),
      notifyFailure(
        next
          ? i18n.t("The schedule of {activity} was not resumed", { activity })
          : i18n.t("The schedule of {activity} was not paused", { activity }),
      ),
    );
    await queryClient.invalidateQueries({ queryKey: ["schedules"] });
    setBusy(undefined);
  };
  const runNow = async (): Promise<void> => {
    setBusy("run");
    const run = await runScheduleNow(id).catch(notifyFailure(i18n.t("{activity} was not started", { activity })));
    setBusy(undefined);
    if (!run) return;
    notify(i18n.t("{activity} is started", { activity }));
    await navigate({ to: "/console/activities/runs/$id", params: { id: run.id } });
  };
  const what = i18n.t("{activity} of {appName}", { activity, appName });
  return (
    <Group gap="xs" wrap="nowrap">
      {(enabled || paused) && (
        <BusyButton
          size="xs"
          variant="default"
          loading={busy === "switch"}
          aria-label={paused ? i18n.t("Resume {what}", { what }) : i18n.t("Pause {what}", { what })}
          onClick={() => void setEnabled(paused)}
        >
          {paused ? i18n.t("Resume") : i18n.t("Pause")}
        </BusyButton>
      )}
      <BusyButton
        size="xs"
        variant="default"
        loading={busy === "run"}
        aria-label={i18n.t("Run now: {what}", { what })}
        onClick={() => void runNow()}
      >
        {i18n.t("Run now")}
      </BusyButton>
    </Group>
  );
}
