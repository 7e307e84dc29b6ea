import { Trans } from "@lingui/react";
import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useViewer } from "../../api/viewer.ts";
import { ResendDeliveryDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { Attempts } from "../../parts/attempts.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { deliveryError } from "../../parts/delivery-error.ts";
import { DeliveryProgress } from "../../parts/delivery-status.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { TraceLink } from "../../parts/trace-link.tsx";
import { hookEventQuery } from "./declared-events.ts";
import { type Delivery, isFinished } from "./hook-queries.ts";

interface DeliveryProps {
  readonly delivery: Delivery;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A row of the list of deliveries, and below it the details that the user has opened. */
export function DeliveryRow({ delivery, isOpen, onToggle }: DeliveryProps) {
  const { id, hookName, appName } = delivery;
  const { permissions } = useViewer();
  const details = `delivery-${id}`;
  return (
    <>
      <Table.Tr>
        <Table.Td className="wrap">
          <Text size="sm" fw={600}>
            {hookName}
          </Text>
          <Text size="sm" c="dimmed">
            <Trans id="to <0/>" components={{ 0: <AppLink name={appName} /> }} />
          </Text>
        </Table.Td>
        <DeliveryProgress delivery={delivery} />
        <Table.Td>
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="default"
              aria-expanded={isOpen}
              aria-controls={isOpen ? details : undefined}
              aria-label={i18n.t("Details of {hookName} to {appName}", { hookName, appName })}
              onClick={onToggle}
            >
              {i18n.t("Details")}
            </Button>
            {permissions.includes("hook:trigger") && isFinished(delivery) && <Resend delivery={delivery} />}
          </Group>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr id={details}>
          <Table.Td colSpan={5}>
            <Details delivery={delivery} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Resend({ delivery: { id, hookName, appName } }: { readonly delivery: Delivery }) {
  const [isBusy, setBusy] = useState(false);
  const resend = async (): Promise<void> => {
    setBusy(true);
    await send(ResendDeliveryDocument, { id }).then(
      () => notify(i18n.t("The delivery is sent again"), i18n.t("{hookName} to {appName}", { hookName, appName })),
      notifyFailure(i18n.t("The delivery was not sent again")),
    );
    await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
    setBusy(false);
  };
  return (
    <BusyButton
      size="xs"
      variant="default"
      loading={isBusy}
      aria-label={i18n.t("Resend {hookName} to {appName}", { hookName, appName })}
      onClick={() => void resend()}
    >
      {i18n.t("Resend")}
    </BusyButton>
  );
}

function Details({ delivery: { eventId, error, attempts, hookName, traceId } }: { readonly delivery: Delivery }) {
  const { data: event } = useQuery(hookEventQuery(eventId));
  const isOfAttempt = attempts.some((attempt) => attempt.error === error?.message);
  return (
    <Stack gap="sm" py="xs" className="details">
      <Group gap="md">
        <PageLink to="/console/hooks/events" search={{ event: eventId }} size="sm" underline="always" title={eventId}>
          {i18n.t("Event")}
        </PageLink>
        {traceId && <TraceLink id={traceId}>{i18n.t("Trace")}</TraceLink>}
      </Group>
      {error && !isOfAttempt && (
        <Text size="sm" c="var(--mantine-color-error)" className="wrap" title={error.code}>
          {deliveryError(error.message)}
        </Text>
      )}
      <Title order={3} size="h5">
        {i18n.t("Attempts")}
      </Title>
      {attempts.length > 0 ? <Attempts attempts={attempts} /> : <Text size="sm">{i18n.t("No attempt has ended yet.")}</Text>}
      {event && (
        <>
          <Title order={3} size="h5">
            {i18n.t("Payload")}
          </Title>
          <JsonView label={i18n.t("Payload of {hookName}", { hookName })} value={event.data} fileName={`${eventId}.json`} />
        </>
      )}
    </Stack>
  );
}
