#!/bin/sh
# Installs and starts the units of one machine, as root, after `npm install --prefix /opt/appserver appserver-0.1.0.tgz`:
#
#   /opt/appserver/node_modules/appserver/deploy/up/install.sh https://apps.example.com
#
# `appserver backup --app` and `appserver restore --app` need the package postgresql-client-18 of https://wiki.postgresql.org/wiki/Apt.
#
# Run again, without the public URL, it takes another release into use. It keeps /etc/appserver/up.env.
set -eu
cd "$(dirname "$0")"
if ! test -e /etc/appserver/up.env; then
  : "${1:?usage: install.sh PUBLIC_URL}"
  install -D -m 600 up.env /etc/appserver/up.env
  sed -i "s|^APPSERVER_PUBLIC_URL=.*|APPSERVER_PUBLIC_URL=$1|" /etc/appserver/up.env
fi
ln -sf "$(cd ../.. && pwd)/bin/appserver.mjs" /usr/local/bin/appserver
install -D -m 644 sysusers.conf /etc/sysusers.d/appserver.conf
systemd-sysusers /etc/sysusers.d/appserver.conf
install -m 644 appserver-up.service appserver-engine-guard.service /etc/systemd/system
systemctl daemon-reload
if test -S /var/run/docker.sock; then
  systemctl enable appserver-engine-guard
  systemctl restart appserver-engine-guard
fi
systemctl enable appserver-up
systemctl restart appserver-up
echo "The link for the first administrator: journalctl -u appserver-up -o cat | grep '#token='"
