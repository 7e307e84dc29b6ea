import { Trans } from "@lingui/react";
import { Autocomplete, Code, Group, List, Paper, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { TriggerHookDocument, type TriggerHookMutation } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { DeliveryBadge } from "../../parts/delivery-status.tsx";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { JsonField, jsonProblem, parseJson } from "../../parts/json-field.tsx";
import { useAppNames } from "../../parts/use-choices.ts";
import { hookEventsQuery } from "./declared-events.ts";
import { type Delivery, eventDeliveriesQuery } from "./hook-queries.ts";

interface TriggerProps {
  readonly opened: boolean;
  /** The hook that the list is filtered by. */
  readonly hook: string | undefined;
  readonly onClose: () => void;
}

/** Triggers a hook with a payload, and shows what becomes of its deliveries. */
export function TriggerHookDialog({ opened, hook, onClose }: TriggerProps) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={i18n.t("Trigger a hook")}>
      <TriggerForm hook={hook} onClose={onClose} />
    </Dialog>
  );
}

type Triggered = TriggerHookMutation["triggerHook"];

function TriggerForm({ hook, onClose }: Omit<TriggerProps, "opened">) {
  const [name, setName] = useState(hook ?? "");
  const [text, setText] = useState("{}");
  const [triggered, setTriggered] = useState<Triggered>();
  const { data: events } = useInfiniteQuery(hookEventsQuery({}));
  const seen = events?.pages.flatMap(({ edges }) => edges.map(({ node }) => node.hookName)) ?? [];
  const suggestions = [
    { group: i18n.t("Triggered before"), items: [...new Set(seen)] },
    { group: i18n.t("Start a new name with"), items: useAppNames("").map((app) => `${app}.`) },
  ];
  const command = useCommand(async () => {
    setTriggered(undefined);
    const { triggerHook } = await send(TriggerHookDocument, { name: name.trim(), data: parseJson(text) ?? null });
    if (!triggerHook.success) throw new Error(triggerHook.error?.message ?? i18n.t("the hook was not triggered"));
    setTriggered(triggerHook);
    await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
  });
  return (
    <form onSubmit={command.submit}>
      <Stack>
        <Autocomplete
          label={i18n.t("Hook")}
          description={i18n.t("The name of an installed app, a dot and a suffix. All subscribers receive it.")}
          placeholder="com.example.app.created"
          data={suggestions}
          limit={20}
          value={name}
          onChange={setName}
          required
          data-autofocus
        />
        <JsonField
          label={i18n.t("Payload")}
          description={i18n.t("Any JSON value, at most 256 KiB.")}
          value={text}
          onChange={setText}
        />
        {triggered && <Outcome key={triggered.eventId} triggered={triggered} />}
        <DialogActions
          command={command}
          label={triggered ? i18n.t("Trigger again") : i18n.t("Trigger")}
          refused={i18n.t("The hook was not triggered")}
          dismiss={i18n.t("Close")}
          disabled={name.trim() === "" || jsonProblem(text) !== undefined}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

function Outcome({ triggered: { eventId, deliveries } }: { readonly triggered: Triggered }) {
  const { data = deliveries } = useQuery(eventDeliveriesQuery(eventId, deliveries));
  return (
    <Paper withBorder p="md" role="status">
      <Text fw={600}>{i18n.t("The hook was triggered")}</Text>
      <Text size="sm" className="wrap" mb="xs">
        <Trans id="Event <0/>" components={{ 0: <Code>{eventId}</Code> }} />
      </Text>
      {data.length === 0 ? (
        <Text size="sm">{i18n.t("No app subscribes to it.")}</Text>
      ) : (
        <List size="sm" listStyleType="none">
          {data.map((delivery) => (
            <List.Item key={delivery.id}>
              <DeliveryResult delivery={delivery} />
            </List.Item>
          ))}
        </List>
      )}
    </Paper>
  );
}

function DeliveryResult({ delivery: { appName, status, error } }: { readonly delivery: Delivery }) {
  return (
    <Group gap="xs">
      <DeliveryBadge status={status} /> {appName}
      {error && (
        <Text size="sm" className="wrap">
          {error.message}
        </Text>
      )}
    </Group>
  );
}
