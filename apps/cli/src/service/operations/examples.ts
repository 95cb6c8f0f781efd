import type { Operation } from '../inputs/operation.ts';

/** The field that a single word without a name stands for. */
export const WORDS: Readonly<Record<string, string>> = { createDatabase: 'name', previewCron: 'schedule' };

/** Calls for the helps of operations whose example in the API's documentation is of little use in a shell. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  createCron: [
    "crons create --name prices --schedule '0 6 * * *' -p products --page https://shop.example/ --database shop --table prices",
    "crons create --name news --schedule '0 * * * *' -p articles --feed https://news.example/rss --since last_run --database news --table articles",
    "crons create --name people --schedule '0 6 * * MON' --api photoapp-profile --inputs names.csv --database crm --table people",
    "crons create --name site --schedule '0 3 * * *' --workflow shop --page https://shop.example/ --keep-pages all",
  ],
  updateCron: [
    'crons update prices max_credits=500',
    "crons update prices --schedule '0 7 * * *' --pause-after-failures 3 --catchup-seconds 3600",
  ],
  previewCron: ["crons preview '0 6 * * MON-FRI' --timezone Europe/Berlin"],
  backfillCron: ['crons backfill prices from=2026-11-02 to=2026-11-06'],
  createDatabase: [
    'db create shop',
    "db create crm --connection-url 'postgres://user:password@db.example/crm?sslmode=require'",
    'db create --file crm.json   # hides the password from other users of the machine',
  ],
  listRows: [
    'db rows shop products --order-by -price -n 10',
    `db rows shop products --filter '{"price": {"lt": 20}}' --json`,
  ],
  deleteRows: [
    `db delete-rows shop products --filter '{"price": {"is_null": true}}' --dry-run`,
    `db delete-rows shop products --filter '{"price": {"is_null": true}}' --count 12`,
  ],
  exportTable: [
    'db export shop products > products.csv',
    'db export shop products --format xlsx --columns sku,price -o products.xlsx',
  ],
  exportBatch: ['batch export bat_01… > out.csv', 'batch export bat_01… --format parquet -o out.parquet'],
  exportWorkflowRunResults: ['runs export run_01… > results.csv', 'runs export run_01… --urls > urls.csv'],
  createWebhook: [
    'webhooks create --url https://example.com/hook --events batch.finished --events job.finished',
    `webhooks create url=https://example.com/hook 'events=["batch.finished"]'`,
  ],
  createWorkflow: ['workflows create --file shop.json', 'workflows create --file shop.json --slug shop'],
  createParser: ['parsers create --name products --schema product.json --slug products'],
  retryBatch: ['batch retry bat_01… --cancelled'],
  getApi: ['apis get photoapp-profile', "apis get photoapp-profile --json | jq '.output_schema'"],
  listLedger: ['credits ledger --limit 50'],
};

/** A call as it is typed, from the operation's example in the API's documentation. */
export function exampleFor({ example: { params, body } }: Operation, words: string): string {
  return [words, ...params, ...(body === undefined ? [] : [`'${JSON.stringify(body)}'`])].join(' ');
}
