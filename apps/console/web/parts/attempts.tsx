import { Table } from "@mantine/core";
import { duration } from "./duration.ts";
import { Status } from "./status.tsx";
import { Time } from "./time.tsx";

interface Attempt {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly error?: string | null | undefined;
}

/** The attempts of a delivery that have ended. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <Table.ScrollContainer minWidth={520} type="native" role="region" aria-label="Attempts" tabIndex={0}>
      <Table verticalSpacing={4} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="4rem">No.</Table.Th>
            <Table.Th>Time</Table.Th>
            <Table.Th>Duration</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Error</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map(({ number, at, durationMs, outcome, error }) => (
            <Table.Tr key={`${number} ${at}`}>
              <Table.Td>{number}</Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <Time at={at} />
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>{duration(durationMs)}</Table.Td>
              <Table.Td>
                <Status tone={outcome === "SUCCESS" ? "good" : "bad"}>{outcome}</Status>
              </Table.Td>
              <Table.Td className="wrap">{error}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
