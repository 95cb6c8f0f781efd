/**
 * Tries programs that others make of a running service: clients that generators write of /openapi.json, and the
 * official inspector of MCP. npm and pip fetch them into a temporary folder, so they are no dependencies.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEY_API_PROGRAM, OPENAPI_TYPESCRIPT_PROGRAM, PYTHON_PROGRAM } from './client-programs.ts';
import { CLIENT_PACKAGES, compileClients } from './compile-clients.ts';

const { GLEANER_URL: url, GLEANER_API_KEY: key } = process.env;
if (url === undefined || key === undefined) {
  console.error('Set GLEANER_URL and GLEANER_API_KEY, as docs/use/api.md says, and start the service.');
  process.exit(1);
}

const PACKAGES = [...CLIENT_PACKAGES, '@modelcontextprotocol/inspector@2'];

const folder = mkdtempSync(join(tmpdir(), 'gleaner-clients-'));
const env = { ...process.env, npm_config_yes: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

/** @throws Error with what the command printed when it fails */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

function expectText(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`expected ${expected} in\n${text}`);
}

async function readDocument(): Promise<string> {
  const answer = await fetch(`${url}/openapi.json`);
  if (!answer.ok) throw new Error(`${answer.status} at ${url}/openapi.json`);
  return answer.text();
}

/** Compiles and runs a program; it calls four operations and prints the title that it extracted. */
function runProgram(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.ts`), text);
  const strict = ['--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'];
  const modules = ['--module', 'commonjs', '--moduleResolution', 'node10', '--outDir', 'out'];
  run('npx', 'tsc', ...strict, ...modules, '--types', 'node', `${name}.ts`);
  expectText(run(process.execPath, `out/${name}.js`), 'Lamp');
}

/** Each throws when its client does not work, and says what can’t be tried on this machine. */
const STEPS: Readonly<Record<string, () => void | string>> = {
  'openapi-typescript': () => runProgram('openapi-typescript', OPENAPI_TYPESCRIPT_PROGRAM),
  '@hey-api/openapi-ts': () => runProgram('hey-api', HEY_API_PROGRAM),
  'MCP inspector': () => {
    const inspect = ['mcp-inspector', '--cli', `${url}/mcp`, '--header', `X-API-Key: ${key}`, '--method'];
    expectText(run('npx', ...inspect, 'tools/list'), '"preview_parser"');
    const call = [
      'tools/call',
      '--tool-name',
      'preview_parser',
      '--tool-arg',
      'schema={"fields": {"title": "h1"}}',
    ];
    expectText(run('npx', ...inspect, ...call, '--tool-arg', 'html=<h1>Lamp</h1>'), '"title": "Lamp"');
  },
  'openapi-python-client': () => {
    run('python3', '-m', 'venv', 'python');
    try {
      run('python/bin/pip', 'install', '--quiet', '--retries', '0', 'openapi-python-client');
    } catch {
      return 'not tried, because pip can’t install it here';
    }
    const generate = [
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'gleaner_client',
      '--meta',
      'none',
    ];
    run('python/bin/openapi-python-client', ...generate, '--fail-on-warning');
    writeFileSync(join(folder, 'program.py'), PYTHON_PROGRAM);
    expectText(run('python/bin/python', 'program.py'), 'Lamp');
  },
};

let failures = 0;
try {
  const document = await readDocument();
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  run('npm', 'install', ...PACKAGES);
  compileClients(folder, document);
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      console.log(`${name}: ${step() ?? 'works'}`);
    } catch (error) {
      failures += 1;
      console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
