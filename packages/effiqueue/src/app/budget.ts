/** The memory that the programs of a configuration share. DESIGN 7.8. */
import type { Config } from "../config/validate.ts";
import { sharedBudget } from "../decide/index.ts";
import type { BudgetPolicy } from "../model/ports.ts";

export function budgetOf({ shared: { ramBudget, ramHeadroom } }: Config): BudgetPolicy {
  return sharedBudget(ramBudget === undefined ? { headroomBytes: ramHeadroom ?? 0 } : { ramBudgetBytes: ramBudget });
}
