/** The first text of `/docs` and of the OpenAPI document. */
export const INTRODUCTION = `Web data extraction: parsers, jobs, batches and prebuilt endpoints.

**Begin.** Send the account's key in the header \`X-API-Key\`. This tries a schema on a piece of HTML, saves nothing and is free:

\`\`\`sh
export GLEANER_URL=http://127.0.0.1:3000 GLEANER_API_KEY=gln_…
curl -s "$GLEANER_URL/v1/parsers/preview" -H "X-API-Key: $GLEANER_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"schema": {"fields": {"title": "h1"}}, "html": "<h1>Blue mug</h1>"}'
\`\`\`

Save the schema with \`POST /v1/parsers\`. Then \`GET /v1/scrape/{parserId}?url=…\` fetches one page and answers with its data, and
\`POST /v1/batches\` does it for up to a million.

* **Ids and slugs**: parsers, databases, crons, workflows and webhooks take a \`slug\` of your choice, which stands wherever the id can.
* **Errors** are \`{"error", "field"?, "detail"?, "hint"?}\`; \`error\` is a stable text. What fails is not charged.
* **Lists** are newest first; \`pagination.cursor\` of one page is the \`cursor\` of the next.
* **Idempotency-Key** on a POST that creates gives the first answer again for 24 hours.
* **Limits**: a 429 or 503 says in \`Retry-After\` when to come back.
`;
