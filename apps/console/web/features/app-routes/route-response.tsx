import { Trans } from "@lingui/react";
import { Code, Group, Stack, Table, Text } from "@mantine/core";
import { i18n, locale } from "../../i18n.ts";
import { duration } from "../../parts/duration.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { type Body, maxBodyBytes, type Received } from "./read-response.ts";

/** Shows what the platform returned to a request: status, time, request id, limits, headers and body. */
export function RouteResponse({ received }: { readonly received: Received }) {
  const { status, statusText, durationMs, headers, body } = received;
  const limits = headers.filter(([name]) => /^(?:x-)?ratelimit(?:-|$)|^retry-after$/.test(name));
  const requestId = headers.find(([name]) => name === "x-request-id")?.[1];
  return (
    <Stack gap="xs" role="region" aria-label={i18n.t("Response")}>
      <Group gap="sm">
        {body.kind !== "redirect" && (
          <Status tone={toneOf(status)}>
            {status} {statusText}
          </Status>
        )}
        <Text size="sm">{duration(durationMs)}</Text>
        {requestId && (
          <Text size="sm" c="dimmed" className="wrap">
            <Trans id="request <0/>" components={{ 0: <Code>{requestId}</Code> }} />
          </Text>
        )}
      </Group>
      {limits.length > 0 && <Headers title={i18n.t("Rate limit")} headers={limits} isOpen />}
      {headers.length > 0 && (
        <Headers title={i18n.t("Response headers ({count})", { count: headers.length })} headers={headers} />
      )}
      <BodyView body={body} />
    </Stack>
  );
}

function toneOf(status: number): Tone {
  if (status < 400) return "good";
  return status < 500 ? "warning" : "bad";
}

interface HeadersProps {
  readonly title: string;
  readonly headers: Received["headers"];
  readonly isOpen?: boolean;
}

function Headers({ title, headers, isOpen = false }: HeadersProps) {
  return (
    <details className="tuples" open={isOpen}>
      <summary>{title}</summary>
      <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing={0}>
        <Table.Tbody>
          {headers.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} className="mono" w="13rem" style={{ verticalAlign: "top" }}>
                {name}
              </Table.Th>
              <Table.Td className="wrap mono">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}

function BodyView({ body }: { readonly body: Body }) {
  if (body.kind === "none") return <Text size="sm">{i18n.t("The response has no body.")}</Text>;
  if (body.kind === "redirect")
    return (
      <Text size="sm">
        {i18n.t("The app redirects to another address. Browsers do not show it to pages, and it is not followed.")}
      </Text>
    );
  if (body.kind === "bytes")
    return (
      <Text size="sm">
        {body.isCut
          ? i18n.t("The body is not text: more than {size} bytes.", { size: body.size.toLocaleString(locale) })
          : i18n.t("The body is not text: {size} bytes.", { size: body.size.toLocaleString(locale) })}
      </Text>
    );
  return (
    <>
      <Code block className="json" role="region" aria-label={i18n.t("Response body")} tabIndex={0}>
        {body.text}
      </Code>
      {body.isCut && (
        <Text size="sm" c="dimmed">
          {i18n.t("The first {size} KiB of the body. The rest was not read.", { size: maxBodyBytes / 1024 })}
        </Text>
      )}
    </>
  );
}
