import { Trans } from "@lingui/react";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { EndButton } from "../../parts/end-button.tsx";
import { eventTitle } from "../../parts/event-types.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { PageButton } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { deleteTarget, enableTarget, type Target, targetsQuery, testTarget } from "./notification-queries.ts";
import { TargetDeliveries } from "./target-deliveries.tsx";
import { TargetDialog } from "./target-dialog.tsx";

const route = getRouteApi("/shell/console/notifications");

export function Notifications() {
  usePageTitle(i18n.t("Notifications"));
  return (
    <Needs permission="notification:manage">
      <Targets />
    </Needs>
  );
}

/** The receivers of events, and the deliveries to the one that is chosen. */
function Targets() {
  const { target: chosenId } = route.useSearch();
  const { data: targets, error, refetch } = useQuery(targetsQuery);
  const [isNew, setNew] = useState(false);
  if (error && targets === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!targets) return <Loading />;
  const chosen = targets.find(({ id }) => id === chosenId);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{i18n.t("Notifications")}</Title>
        <Button onClick={() => setNew(true)}>{i18n.t("New target")}</Button>
      </Group>
      <Text c="dimmed">{i18n.t("Receivers of events outside of the platform: webhooks, Slack and mail.")}</Text>
      {targets.length === 0 && (
        <Empty title={i18n.t("No targets")}>
          {i18n.t("Nothing hears of incidents. Create a target of the types Incident opened and Incident closed.")}
        </Empty>
      )}
      {targets.map((target) => (
        <TargetSection key={target.id} target={target} />
      ))}
      {chosen && <TargetDeliveries key={chosen.id} target={chosen} />}
      <TargetDialog opened={isNew} onClose={() => setNew(false)} />
    </Stack>
  );
}

function TargetSection({ target }: { readonly target: Target }) {
  const { id, name, kind, address, types, createdAt, createdBy, isConfigured, waiting, deadLetters } = target;
  return (
    <Section title={name}>
      <Stack gap="sm">
        <Group gap="xs">
          <Status>{kind}</Status>
          <StateOf target={target} />
          {deadLetters > 0 && <Status tone="bad">{i18n.t("{deadLetters} dead", { deadLetters })}</Status>}
        </Group>
        <FactTable
          facts={[
            [i18n.t("Address"), address],
            [i18n.t("Types"), types ? types.map(eventTitle).join(", ") : i18n.t("All")],
            [i18n.t("Waiting"), String(waiting)],
            [i18n.t("Created"), <Created key="created" at={createdAt} by={isConfigured ? undefined : createdBy} />],
          ]}
        />
        <Group gap="xs">
          <TestButton target={target} />
          <PageButton
            to="/console/notifications"
            search={{ target: id }}
            size="xs"
            variant="default"
            aria-label={i18n.t("Deliveries to {name}", { name })}
          >
            {i18n.t("Deliveries")}
          </PageButton>
          {!isConfigured && <Changes target={target} />}
        </Group>
      </Stack>
    </Section>
  );
}

function StateOf({ target: { isConfigured, isEnabled } }: { readonly target: Target }) {
  if (isConfigured) return <Status>{i18n.t("by options")}</Status>;
  return <Status tone={isEnabled ? "good" : "neutral"}>{isEnabled ? i18n.t("enabled") : i18n.t("disabled")}</Status>;
}

function Created({ at, by }: { readonly at: string; readonly by: string | undefined }) {
  return (
    <>
      {by === undefined ? (
        <Trans id="<0/> by the options of the platform" components={{ 0: <Time at={at} /> }} />
      ) : (
        <Trans id="<0/> by <1/>" components={{ 0: <Time at={at} />, 1: <Who id={by} /> }} />
      )}
    </>
  );
}

function TestButton({ target: { id, name } }: { readonly target: Target }) {
  const [isBusy, setBusy] = useState(false);
  const test = async (): Promise<void> => {
    setBusy(true);
    await testTarget(id).then(
      ({ isDelivered, error, durationMs }) =>
        isDelivered
          ? notify(i18n.t("{name} took the message", { name }), i18n.t("after {durationMs} ms", { durationMs }))
          : notifyFailure(i18n.t("{name} did not take the message", { name }))(new Error(error ?? "")),
      notifyFailure(i18n.t("The message was not sent")),
    );
    setBusy(false);
  };
  return (
    <BusyButton
      size="xs"
      variant="default"
      loading={isBusy}
      aria-label={i18n.t("Test {name}", { name })}
      onClick={() => void test()}
    >
      {i18n.t("Test")}
    </BusyButton>
  );
}

function Changes({ target: { id, name, isEnabled } }: { readonly target: Target }) {
  const [isBusy, setBusy] = useState(false);
  const action = isEnabled ? i18n.t("Disable") : i18n.t("Enable");
  const change = async (): Promise<void> => {
    setBusy(true);
    await enableTarget(id, !isEnabled).catch(notifyFailure(i18n.t("{name} was not changed", { name })));
    setBusy(false);
  };
  return (
    <>
      <BusyButton size="xs" variant="default" loading={isBusy} aria-label={`${action} ${name}`} onClick={() => void change()}>
        {action}
      </BusyButton>
      <EndButton
        label={i18n.t("Delete")}
        name={i18n.t("Delete {name}", { name })}
        warning={i18n.t("{name} ends with its deliveries, also those that wait.", { name })}
        onEnd={() => deleteTarget(id)}
      />
    </>
  );
}
