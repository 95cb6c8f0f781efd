import type { Containers } from './compose.ts';

/** Named in site.yml as well, which lets the services fetch from it. */
export const SITE_HOST = 'site.test:8080';

/** Answers every page after 100 ms, and /missing with 404. */
const SERVER = `require('node:http').createServer((request, response) => setTimeout(() => {
  const url = new URL(request.url, 'http://site');
  if (url.pathname === '/missing') return response.writeHead(404).end();
  const script = url.pathname === '/scripted' ? '<script>document.querySelector("h1").textContent += " scripted"</script>' : '';
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Page ' + url.searchParams.get('n') + '</h1>' + script);
}, 100)).listen(8080)`;

/** Starts a site in the services' network, from the service's own image. @returns a function that removes it */
export function startSite({ docker, idsOf }: Containers): () => void {
  const [api = ''] = idsOf('api');
  const format = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}';
  const [network = ''] = docker('inspect', '--format', format, api).trim().split(' ');
  const image = docker('inspect', '--format', '{{.Image}}', api).trim();
  const alias = SITE_HOST.split(':')[0] ?? '';
  const words = ['--rm', '--detach', '--init', '--network', network, '--network-alias', alias];
  const id = docker('run', ...words, image, '--eval', SERVER).trim();
  return () => void docker('rm', '--force', id);
}
