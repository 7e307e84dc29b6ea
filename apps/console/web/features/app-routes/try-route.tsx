import { Trans } from "@lingui/react";
import { Alert, Button, Code, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import type { AppApi, Route } from "../../api/app-tab-queries.ts";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { JsonField, jsonProblem } from "../../parts/json-field.tsx";
import { sendToApi } from "../hosting/api-request.ts";
import { type Received, readResponse } from "./read-response.ts";
import {
  filledPath,
  headersOf,
  isSafe,
  methodsOf,
  missingIn,
  parametersOf,
  partsOf,
  takesBody,
  withQuery,
} from "./route-request.ts";
import { RouteResponse } from "./route-response.tsx";

interface TryProps {
  readonly appName: string;
  readonly api: AppApi;
  readonly route: Pick<Route, "pattern" | "methods">;
  readonly onClose: () => void;
}

/** Sends a request to a route of an app with the session of the user, and shows the response. */
export function TryRoute(props: TryProps) {
  return (
    <Dialog opened onClose={props.onClose} size="xl" title={i18n.t("Try the route")}>
      <TryForm {...props} />
    </Dialog>
  );
}

function TryForm({ appName, api, route, onClose }: TryProps) {
  const methods = methodsOf(route.methods);
  const parts = partsOf(route.pattern);
  const [method, setMethod] = useState(methods[0] ?? "GET");
  const [path, setPath] = useState("/");
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [query, setQuery] = useState("");
  const [headers, setHeaders] = useState<ReadonlyMap<string, string>>(new Map());
  const [body, setBody] = useState("");
  const [isAsking, setAsking] = useState(false);
  const { isBusy, received, failure, send, stop } = useRequest(appName);
  const target = withQuery(parts ? filledPath(parts, values) : path, query);
  const missing = parts ? missingIn(parts, values) : [];
  const hasBody = takesBody(method) && body.trim() !== "";
  const start = (): void => {
    const given = Object.fromEntries([...headers].filter(([, value]) => value !== ""));
    const init = hasBody ? { body, headers: { "content-type": "application/json", ...given } } : { headers: given };
    void send(api.basePath.slice(api.publicUrl.length) + target, { method, ...init });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSafe(method)) start();
    else setAsking(true);
  };
  const fill = (label: string, value: string): void => setValues(new Map(values).set(label, value));
  return (
    <form onSubmit={submit}>
      <Stack>
        <Group align="flex-end" gap="sm">
          <Select
            label={i18n.t("Method")}
            data={[...methods]}
            value={method}
            onChange={(chosen) => setMethod(chosen ?? method)}
            allowDeselect={false}
            w={120}
            data-autofocus
          />
          {parts ? (
            parametersOf(parts).map(({ label, isRest }) => (
              <TextInput
                key={label}
                label={label}
                value={values.get(label) ?? ""}
                onChange={(event) => fill(label, event.currentTarget.value)}
                required={!isRest}
                flex="1 1 10rem"
              />
            ))
          ) : (
            <TextInput
              label={i18n.t("Path")}
              description={i18n.t("It matches {pattern}", { pattern: route.pattern })}
              value={path}
              onChange={(event) => setPath(event.currentTarget.value)}
              required
              flex="1 1 10rem"
            />
          )}
          <TextInput
            label={i18n.t("Query")}
            placeholder="limit=10"
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            flex="1 1 10rem"
          />
        </Group>
        <Text size="sm" className="wrap">
          <Code>
            {method} {api.basePath + target}
          </Code>
        </Text>
        <HeaderFields
          names={headersOf(api.forwardHeaders)}
          values={headers}
          onChange={(name, value) => setHeaders(new Map(headers).set(name, value))}
        />
        {takesBody(method) && (
          <JsonField
            label={i18n.t("Body")}
            description={i18n.t("A JSON value. Empty: no body.")}
            value={body}
            onChange={setBody}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={isBusy ? stop : onClose}>
            {isBusy ? i18n.t("Stop") : i18n.t("Close")}
          </Button>
          <BusyButton
            type="submit"
            loading={isBusy}
            disabled={missing.length > 0 || (takesBody(method) && jsonProblem(body) !== undefined)}
          >
            {i18n.t("Send")}
          </BusyButton>
        </Group>
        {failure && (
          <Alert color="red" variant="outline" role="alert" title={i18n.t("There is no response")}>
            {failure}
          </Alert>
        )}
        {received && <RouteResponse received={received} />}
      </Stack>
      <Confirm
        opened={isAsking}
        title={i18n.t("Send {method}?", { method })}
        action={i18n.t("Send {method}", { method })}
        onCancel={() => setAsking(false)}
        onConfirm={async () => start()}
      >
        <Text>
          <Trans
            id="The request can change or delete data of <0/>. It is sent with your session."
            components={{ 0: <Code>{appName}</Code> }}
          />
        </Text>
        <Code block mt="sm" className="wrap">
          {method} {api.basePath + target}
        </Code>
      </Confirm>
    </form>
  );
}

interface HeaderFieldsProps {
  readonly names: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly onChange: (name: string, value: string) => void;
}

function HeaderFields({ names, values, onChange }: HeaderFieldsProps) {
  return (
    <details className="tuples">
      <summary>{i18n.t("Request headers ({count} can be sent)", { count: names.length })}</summary>
      <Stack gap="xs" mt="xs">
        {names.map((name) => (
          <TextInput
            key={name}
            label={name}
            value={values.get(name) ?? ""}
            onChange={(event) => onChange(name, event.currentTarget.value)}
            spellCheck={false}
          />
        ))}
      </Stack>
    </details>
  );
}

/** Sends one request at a time, and stops it when the form closes. */
function useRequest(appName: string) {
  const [isBusy, setBusy] = useState(false);
  const [received, setReceived] = useState<Received>();
  const [failure, setFailure] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (path: string, request: Parameters<typeof sendToApi>[2]): Promise<void> => {
    const control = new AbortController();
    const { signal } = control;
    running.current = control;
    setBusy(true);
    setFailure(undefined);
    setReceived(undefined);
    const startedAt = performance.now();
    try {
      setReceived(await readResponse(await sendToApi(appName, path, { ...request, signal }), startedAt));
    } catch (error) {
      setFailure(signal.aborted ? i18n.t("The request was stopped.") : error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, received, failure, send, stop: () => running.current?.abort() };
}
