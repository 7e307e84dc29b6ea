import { Table } from "@mantine/core";
import { duration } from "./duration.ts";
import { ListTable } from "./list-table.tsx";
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
    <ListTable
      minWidth={520}
      label="Attempts"
      columns={[{ title: "No.", width: "4rem" }, "Time", "Duration", "Outcome", "Error"]}
    >
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
    </ListTable>
  );
}
