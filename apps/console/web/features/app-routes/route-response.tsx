import { Code, Group, Stack, Table, Text } from "@mantine/core";
import { duration } from "../../parts/duration.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { type Body, maxBodyBytes, type Received } from "./read-response.ts";

/** Shows what the platform returned to a request: status, time, request id, limits, headers and body. */
export function RouteResponse({ received }: { readonly received: Received }) {
  const { status, statusText, durationMs, headers, body } = received;
  const limits = headers.filter(([name]) => /^(?:x-)?ratelimit(?:-|$)|^retry-after$/.test(name));
  const requestId = headers.find(([name]) => name === "x-request-id")?.[1];
  return (
    <Stack gap="xs" role="region" aria-label="Response">
      <Group gap="sm">
        {body.kind !== "redirect" && (
          <Status tone={toneOf(status)}>
            {status} {statusText}
          </Status>
        )}
        <Text size="sm">{duration(durationMs)}</Text>
        {requestId && (
          <Text size="sm" c="dimmed" className="wrap">
            request <Code>{requestId}</Code>
          </Text>
        )}
      </Group>
      {limits.length > 0 && <Headers title="Rate limit" headers={limits} isOpen />}
      {headers.length > 0 && <Headers title={`Response headers (${headers.length})`} headers={headers} />}
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
  if (body.kind === "none") return <Text size="sm">The response has no body.</Text>;
  if (body.kind === "redirect")
    return (
      <Text size="sm">The app redirects to another address. Browsers do not show it to pages, and it is not followed.</Text>
    );
  if (body.kind === "bytes")
    return (
      <Text size="sm">
        The body is not text: {body.isCut ? "more than " : ""}
        {body.size.toLocaleString("en")} bytes.
      </Text>
    );
  return (
    <>
      <Code block className="json" role="region" aria-label="Response body" tabIndex={0}>
        {body.text}
      </Code>
      {body.isCut && (
        <Text size="sm" c="dimmed">
          The first {maxBodyBytes / 1024} KiB of the body. The rest was not read.
        </Text>
      )}
    </>
  );
}
