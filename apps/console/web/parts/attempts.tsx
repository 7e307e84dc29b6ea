import { Table } from "@mantine/core";
import { i18n } from "../i18n.ts";
import { deliveryError } from "./delivery-error.ts";
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
      label={i18n.t("Attempts")}
      columns={[
        { title: i18n.t("No."), width: "4rem" },
        i18n.t("Time"),
        i18n.t("Duration"),
        i18n.t("Outcome"),
        i18n.t("Error"),
      ]}
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
          <Table.Td className="wrap">{error && deliveryError(error)}</Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}
