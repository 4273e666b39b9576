{{/* Names begin with that of the release. A pod is NAME-INDEX, and names of hosts have at most 63 characters. */}}
{{- define "everylink.name" -}}
{{ .Release.Name | replace "." "-" | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "everylink.labels" -}}
app.kubernetes.io/name: everylink
app.kubernetes.io/instance: {{ include "everylink.name" . }}
{{- end }}

{{- define "everylink.claim" -}}
{{ .Values.results.claim | default (printf "%s-results" (include "everylink.name" .)) }}
{{- end }}

{{/* What each pod takes of a node, as requests and as limits. */}}
{{- define "everylink.taken" -}}
cpu: {{ .Values.resources.cpu | quote }}
memory: {{ .Values.resources.memory }}
{{- if gt (int .Values.gpus.count) 0 }}
{{ .Values.gpus.resource }}: {{ .Values.gpus.count }}
{{- end }}
{{- if .Values.rdma.resource }}
{{ .Values.rdma.resource }}: {{ .Values.rdma.count }}
{{- end }}
{{- end }}
