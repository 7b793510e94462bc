# One image for every process; docker-compose.yml says which one a container is.
FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.txt .
RUN pip install --require-hashes -r requirements.txt && useradd --create-home slotbeat
COPY manage.py pyproject.toml ./
COPY scheduler_project scheduler_project
COPY schedules schedules
COPY workers workers
COPY examples examples
# Static files are gathered with placeholders: no server is asked, and none of the values stays in the image.
RUN SLOTBEAT_ENV=production SECRET_KEY=unused DATABASE_URL=postgresql://unused/unused REDIS_URL=redis://unused \
    KAFKA_BOOTSTRAP_SERVERS=unused:9092 python manage.py collectstatic --no-input
USER slotbeat
CMD ["gunicorn", "scheduler_project.wsgi", "--bind", "0.0.0.0:8000", "--threads", "4", "--graceful-timeout", "25"]
