import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSettings } from '@gleaner/core';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROCESS_ENTRIES } from '../../apps/cli/src/start/entry-file.ts';

const root = join(import.meta.dirname, '..', '..');
function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()),
  restart: z.string(),
  environment: z.record(z.string(), z.string()).optional(),
  env_file: z.string().optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  deploy: z.object({
    replicas: z.string().optional(),
    resources: z.object({ limits: z.object({ memory: z.string() }) }),
  }),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
});

const compose = composeSchema.parse(parse(read('docker-compose.yml'), { merge: true }));
const ours = Object.entries(compose.services).filter(([, service]) => service.image === 'gleaner');
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');

it('runs every process from one image, with entries that are bundled', () => {
  expect(ours.map(([name]) => name).toSorted()).toEqual(['api', 'migrate', 'scheduler', 'worker']);
  const commands = [
    ...ours.map(([, { command }]) => command[0] ?? ''),
    /CMD \["([^"]+)"\]/.exec(dockerfile)?.[1] ?? '',
  ];
  const bundled = [...Object.keys(PROCESS_ENTRIES), 'cli'].map((name) => `dist/${name}.js`);
  for (const entry of commands) expect(bundled).toContain(entry);
});

it('configures only what the configuration knows', () => {
  const known = new Set<string>(listSettings().map(({ variable }) => variable));
  for (const [name, { environment }] of ours) {
    for (const variable of Object.keys(environment ?? {}))
      expect(known, `${name}: ${variable}`).toContain(variable);
  }
  const image = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
    [...(line ?? '').matchAll(/(\w+)=/g)].map(([, name]) => name),
  );
  const ofNode = ['NODE_ENV', 'UV_THREADPOOL_SIZE'];
  for (const variable of image) expect([...known, ...ofNode]).toContain(variable);
});

it('keeps the number of workers in .env, so that a later `up` does not change it', () => {
  expect(compose.services.worker?.deploy.replicas).toBe('${GLEANER_WORKERS:-1}');
  expect(read('docs/operate/deploy.md')).toContain('GLEANER_WORKERS=');
});

it('passes every setting of .env on, but for those that the file itself decides', () => {
  const decided = ['HOST', 'PORT', 'DATABASE_URL', 'REDIS_URL'];
  for (const [name, service] of ours) {
    expect(service.env_file, name).toBe('.env');
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      if (!decided.includes(variable)) expect(value, `${name}: ${variable}`).toMatch(`\${${variable}:`);
    }
  }
});

it('publishes the API alone, keeps secrets out of the file, and says which ones it needs', () => {
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name]) => name)).toEqual(['api']);
  const required = [...read('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name ?? '');
  expect(new Set(required)).toEqual(
    new Set(['POSTGRES_PASSWORD', 'GLEANER_OPERATOR_PASSWORD', 'GLEANER_SECRET_KEY']),
  );
  for (const name of required) expect(read('docs/operate/deploy.md')).toContain(`${name}=`);
});

it('keeps jobs safe in Redis, data in volumes, and every service within limits and watched', () => {
  const redis = compose.services.redis?.command.join(' ') ?? '';
  expect(redis).toContain('--maxmemory-policy noeviction');
  expect(redis).toContain('--appendonly yes');
  for (const [name, service] of Object.entries(compose.services)) {
    expect(service.deploy.resources.limits.memory, name).toMatch(/^\d+[mg]$/);
    expect(service.restart, name).toBe(name === 'migrate' ? 'no' : 'unless-stopped');
    for (const volume of service.volumes ?? [])
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    for (const other of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(other);
  }
  for (const name of ['postgres', 'redis']) expect(compose.services[name]?.healthcheck?.test).toBeDefined();
  for (const name of ['api', 'worker', 'scheduler']) {
    expect(compose.services[name]?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
  }
});

it('builds an image that runs without root, with an init, a health check and files that exist', () => {
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["tini", "--", "node", "--enable-source-maps"\]$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK .*\/healthz/m);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
    (list ?? '').split(/\s+/),
  );
  for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
  const manifests = globSync('{apps,packages}/*/package.json', { cwd: root });
  for (const manifest of manifests) expect(copied, 'npm ci needs every workspace').toContain(manifest);
  const ignored = read('.dockerignore').split('\n');
  for (const secret of ['.git', '.gleaner', '**/node_modules']) expect(ignored).toContain(secret);
});
