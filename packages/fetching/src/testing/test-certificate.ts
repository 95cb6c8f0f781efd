import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TestCertificate {
  cert: string;
  key: string;
}

/** A self-signed certificate for one host; undefined on machines without openssl. */
export function makeCertificate(host: string): TestCertificate | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'gleaner-certificate-'));
  try {
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', cert, '-keyout', key];
    const made = spawnSync('openssl', ['req', '-x509', '-nodes', '-days', '2', ...subject, ...pair]);
    if (made.status !== 0) return undefined;
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
