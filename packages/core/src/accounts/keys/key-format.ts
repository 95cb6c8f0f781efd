import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^gln_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

function randomText(length: number): string {
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text;
  return text;
}

function checksum(body: string): string {
  return toBase62(crc32(body), 6);
}

export function digestKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** `gln_<8 id>_<32 base62 random><6 base62 CRC32 of all before it>`; the random part has 190 bits. */
export function generateKey(): { key: string; publicId: string; lastFour: string; digest: Buffer } {
  const publicId = randomText(8);
  const body = `gln_${publicId}_${randomText(32)}`;
  const key = body + checksum(body);
  return { key, publicId, lastFour: key.slice(-4), digest: digestKey(key) };
}

/** The public id of a well-formed key; null for a typing error. Needs no query. */
export function readPublicId(key: string): string | null {
  const match = KEY_PATTERN.exec(key);
  if (!match) return null;
  const [, publicId = '', , sum] = match;
  return checksum(key.slice(0, -6)) === sum ? publicId : null;
}
